/** Names that a resolver of tests knows, with the addresses of each look-up; the last one stays. */
export const hostileNames: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'localhost.test': [['127.0.0.1']],
  'private.test': [['10.0.0.1']],
  'metadata.test': [['169.254.169.254']],
  'mixed.test': [['93.184.216.34', '127.0.0.1']],
  'six.test': [['::1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'link-local.test': [['fe80::1%lo']],
  'unspecified.test': [['0.0.0.0']],
  'none.test': [[]],
};

/** Returns addresses of this machine, of private networks and of metadata services, in the spellings that programs read differently. */
export function hostileAddresses(port: number): readonly string[] {
  return [
    // Dotted, with and without all parts.
    '127.0.0.1',
    '127.0.1',
    '127.1',
    '127.0.0.1.',
    '127.255.255.254',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    // One number, octal, hexadecimal and mixed.
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7F.0x0.0x0.0x1',
    '0177.0.0.1',
    '0177.0.0x0.1',
    '0x7f.1',
    '00000177.0.0.1',
    '2852039166',
    '0xa9fea9fe',
    '3232235521',
    // Wide, enclosed and other letters and dots that mean digits and dots.
    '\u2460\u2461\u2466.0.0.1',
    '\uff11\uff12\uff17.0.0.1',
    '127\u30020\u30020\u30021',
    '127\uff0e0\uff0e0\uff0e1',
    '\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1',
    '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3',
    '%6c%6f%63%61%6c%68%6f%73%74',
    '127%2e0%2e0%2e1',
    // IPv6: loopback, mapped, compatible, translated, tunnelled, local.
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[2001:0::80ff:fffe]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    '[ff02::1]',
    '[fe80::1%25lo]',
    // Names.
    'localhost',
    'LOCALHOST',
    'localhost.',
    ...Object.keys(hostileNames),
  ].map((host) => `http://${host}:${port}/canary`);
}

/** Returns addresses of other protocols, and some that hide their host. */
export function otherAddresses(port: number): readonly string[] {
  const { href } = new URL(`http://127.0.0.1:${port}/canary`);
  return [
    'file:///etc/passwd',
    'data:text/plain,secret',
    `gopher://127.0.0.1:${port}/_GET%20/canary`,
    `ftp://127.0.0.1:${port}/canary`,
    `ws://127.0.0.1:${port}/canary`,
    `dict://127.0.0.1:${port}/canary`,
    `blob:${href}`,
    `view-source:${href}`,
    'javascript:fetch("/canary")',
    `http://user@127.0.0.1:${port}/canary`,
    `http://example.com:80@127.0.0.1:${port}/canary`,
    `http://127.0.0.1:${port}\\@example.com/canary`,
    `http:127.0.0.1:${port}/canary`,
    `http:///127.0.0.1:${port}/canary`,
    `//127.0.0.1:${port}/canary`,
    ` \thttp://127.0.0.1:${port}/canary`,
    `http://127.0.0.1:${port}/canary#@example.com/`,
  ];
}
