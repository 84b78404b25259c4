// Preloaded into the server: answers each message with the longest processor time that its thread spent between two turns of
// its event loop since the message before.
let longestMs = 0;
let before = process.threadCpuUsage();

function turn(): void {
  const used = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (used.user + used.system) / 1_000);
}

setInterval(turn, 1).unref();

process.on('message', () => {
  turn();
  process.send?.(longestMs);
  longestMs = 0;
});
// A parent that listens keeps nothing alive here.
process.channel?.unref();
