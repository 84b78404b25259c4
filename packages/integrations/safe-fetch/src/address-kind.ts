import { isIPv4, isIPv6 } from 'node:net';

/**
 * Kind of an IP address. `private`: of this machine or a network of its operator. `never`: no server is meant to be reached there:
 * link-local addresses and those of metadata services of clouds, which hand out credentials, multicast, unspecified and reserved ones.
 */
export type AddressKind = 'public' | 'private' | 'never';

type Range = readonly [start: string, bits: number, kind: Exclude<AddressKind, 'public'>];

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and metadata services outside of it. The first match counts. */
const ranges4: readonly Range[] = [
  ['100.100.100.200', 32, 'never'],
  ['168.63.129.16', 32, 'never'],
  ['0.0.0.0', 8, 'never'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['169.254.0.0', 16, 'never'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'never'],
  ['192.0.2.0', 24, 'never'],
  ['192.88.99.0', 24, 'never'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'never'],
  ['198.51.100.0', 24, 'never'],
  ['203.0.113.0', 24, 'never'],
  ['224.0.0.0', 3, 'never'],
];

const private6: readonly string[] = ['0000:0000:0000:0000:0000:0000:0000:0001'];
/** Metadata services of Amazon and Google in the range of private addresses. */
const metadata6: readonly string[] = [
  'fd00:0ec2:0000:0000:0000:0000:0000:0254',
  'fd20:00ce:0000:0000:0000:0000:0000:0254',
];
/** Parts of 2000::/3 at which there is no server: 2001::/23 with Teredo, documentation, 6to4. */
const special6: readonly RegExp[] = [/^2001:0[01]/, /^2001:0db8:/, /^2002:/, /^3fff:0/];
/** IPv6 forms of an IPv4 address: mapped (::ffff:0:0/96), and translated (64:ff9b::/96). */
const embedded4: readonly RegExp[] = [/^(?:0000:){5}ffff:/, /^0064:ff9b:(?:0000:){4}/];

/** Returns the kind of an IP address as text. Other text is `never`. */
export function addressKind(address: string): AddressKind {
  const [withoutZone = ''] = address.split('%', 1);
  if (isIPv4(withoutZone)) return kind4(withoutZone);
  return isIPv6(withoutZone) ? kind6(expanded(withoutZone)) : 'never';
}

function kind4(address: string): AddressKind {
  const value = number4(address);
  const range = ranges4.find(([start, bits]) => value >>> (32 - bits) === number4(start) >>> (32 - bits));
  return range?.[2] ?? 'public';
}

function number4(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function kind6(address: string): AddressKind {
  if (metadata6.includes(address)) return 'never';
  if (private6.includes(address) || /^f[cd]/.test(address)) return 'private';
  if (embedded4.some((form) => form.test(address))) return kind4(last4(address));
  // Only 2000::/3 is assigned to servers.
  if (!/^[23]/.test(address) || special6.some((range) => range.test(address))) return 'never';
  return 'public';
}

function last4(address: string): string {
  const digits = address.replaceAll(':', '').slice(-8);
  return (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)).join('.');
}

/** Returns eight groups of four digits. */
function expanded(address: string): string {
  // The parser of URLs turns dotted ends into groups.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = '', right] = short.split('::') as [string, string?];
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(':');
}
