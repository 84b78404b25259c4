import assert from 'node:assert/strict';
import { addressKind } from '@ravi/safe-fetch';
import { test } from 'vitest';

const addresses = {
  public: [
    '93.184.216.34',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ],
  private: [
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fc00::1',
    'fdff::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '64:ff9b::7f00:1',
  ],
  never: [
    '169.254.169.254',
    '169.254.0.1',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '0.0.0.0',
    '0.1.2.3',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '::127.0.0.1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '1::1',
    '4000::1',
    '',
    'localhost',
    '127.1',
    '1.2.3',
    '999.1.1.1',
    '[::1]',
  ],
} as const;

for (const [kind, list] of Object.entries(addresses)) {
  test(`addresses that are ${kind} are recognised`, () => {
    const wrong = list.filter((address) => addressKind(address) !== kind);
    assert.deepEqual(wrong, []);
  });
}
