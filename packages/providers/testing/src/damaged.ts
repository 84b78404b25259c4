import type { SeededRandom } from '@ravi/testkit';

/** Returns a stream of server-sent events with one to three random transmission errors. */
export function damaged(stream: string, random: SeededRandom): string {
  let result = stream;
  for (let count = 1 + random.below(3); count > 0; count--) result = once(result, random);
  return result;
}

function once(stream: string, random: SeededRandom): string {
  const at = random.below(stream.length);
  const end = Math.min(stream.length, at + 1 + random.below(40));
  switch (random.below(6)) {
    case 0:
      return stream.slice(0, at) + stream.slice(end);
    case 1:
      return stream.slice(0, end) + stream.slice(at);
    case 2:
      return stream.slice(0, at) + String.fromCharCode(random.below(0x10000)) + stream.slice(at + 1);
    case 3:
      return withoutEvent(stream, random, (events, moved) => {
        events.splice(random.below(events.length + 1), 0, moved);
      });
    case 4:
      return stream.replaceAll(/(null|true|\d+|"\w"|\[\]|\{\})/gu, (value) =>
        random.below(10) === 0 ? random.pick(['null', '{}', '[]', '"x"', '-1', '1e999']) : value,
      );
    default:
      return withoutEvent(stream, random, () => undefined);
  }
}

function withoutEvent(stream: string, random: SeededRandom, then: (events: string[], taken: string) => void): string {
  const events = stream.split('\n\n');
  const [taken = ''] = events.splice(random.below(events.length), 1);
  then(events, taken);
  return events.join('\n\n');
}
