// Plain JavaScript, loaded before a program that the bootstrap starts. A parent that is killed cannot forward the signal:
// its end closes this channel, and the program then shuts down as if it had been asked to.
const forcedEndMs = 15_000;

process.channel?.unref();
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), forcedEndMs).unref();
});
