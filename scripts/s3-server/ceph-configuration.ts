/** Ports of the server's parts, all on loopback. */
export interface CephPorts {
  readonly monitor: number;
  readonly gateway: number;
}

/** Name of the key that the server encrypts with when a request asks for `aws:kms`. */
export const kmsKeyId = 'ravi-test-key';

/** A `ceph.conf` for one monitor, one disk in a sparse file and one gateway, all of them in `folder`. */
export function cephConfiguration(folder: string, clusterId: string, { monitor, gateway }: CephPorts): string {
  return `[global]
fsid = ${clusterId}
mon initial members = a
mon host = v2:127.0.0.1:${monitor}
public addr = 127.0.0.1
ms bind msgr1 = false
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$cluster-$name.$pid.asok
log file = ${folder}/$name.log
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
[mon]
mon data = ${folder}/monitor
mon data avail warn = 2
mon data avail crit = 1
[osd]
osd data = ${folder}/disk
osd memory target = 939524096
bluestore block size = 8589934592
osd crush update on start = false
osd class update on start = false
osd class load list = *
osd class default list = *
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway} tcp_nodelay=1
rgw thread pool size = 16
rgw crypt require ssl = false
rgw crypt s3 kms backend = testing
rgw crypt s3 kms encryption keys = ${kmsKeyId}=cmF2aSB0ZXN0cyBlbmNyeXB0IHdpdGggdGhpcyBrZXk=
`;
}
