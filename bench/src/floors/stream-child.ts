// Echoes stdin to stdout with the streams and the event loop of an ordinary Node program.
process.stdin.on('data', (chunk: Buffer) => process.stdout.write(chunk));
