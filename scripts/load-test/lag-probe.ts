// Preloaded into the server: answers each message with how late its timers were since the message before.
const everyMs = 20;
let late: number[] = [];
let expected = performance.now() + everyMs;

setInterval(() => {
  const now = performance.now();
  late.push(Math.max(0, now - expected));
  expected = now + everyMs;
}, everyMs).unref();

process.on('message', () => {
  process.send?.(late);
  late = [];
});
// A parent that listens keeps nothing alive here.
process.channel?.unref();
