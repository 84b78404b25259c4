// What comes in on stdin goes out on stdout, by the streams and the event loop that every program of Node has.
process.stdin.on('data', (chunk: Buffer) => process.stdout.write(chunk));
