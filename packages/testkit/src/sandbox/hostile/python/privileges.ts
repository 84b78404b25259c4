import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

/** A system call through the C library that must fail. */
const denied = (name: string, expression: string): HostileCase => ({
  name,
  code: `return proof(lambda: ${expression} == 0)`,
  value: '[]',
});

/** An action of Python that must raise. */
const raises = (name: string, code: string): HostileCase => ({
  name,
  code: script(`
    import os, resource, signal, socket
    try:
        ${code}
    except (OSError, ValueError):
        return []
    return [reached()]`),
  value: '[]',
});

/** Rights that a script asks for. */
export const privileges: HostileClass = {
  name: 'users, mounts and namespaces',
  kind: 'escape',
  cases: [
    raises('another user', 'os.setuid(0)'),
    raises('another group', 'os.setgroups([0])'),
    raises('another root', 'os.chroot("/workspace")'),
    raises('a device of its own', 'os.mknod("/workspace/disk", 0o60600, os.makedev(8, 0))'),
    raises('a FIFO next to its channel', 'os.mkfifo("/ravi/more")'),
    raises('a channel taken away', 'os.unlink("/ravi/out")'),
    raises('a file of the system', 'open("/etc/passwd", "r+")'),
    raises('a higher limit', 'resource.setrlimit(resource.RLIMIT_AS, (-1, -1))'),
    raises('more processor time', 'resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))'),
    raises('a higher priority', 'os.setpriority(os.PRIO_PROCESS, 0, -10)'),
    raises('packets as they are', 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'),
    raises('the clock', 'import time; time.clock_settime(time.CLOCK_REALTIME, 0)'),
    raises(
      'a program in its workspace',
      'open("/workspace/x", "w").write("#!/bin/sh\\n"); os.chmod("/workspace/x", 0o755); os.execv("/workspace/x", ["x"])',
    ),
    denied('a mount', 'libc.mount(b"tmpfs", b"/workspace", b"tmpfs", 0, None)'),
    denied('a mount taken away', 'libc.umount2(b"/ravi", 2)'),
    denied('a namespace of users', 'libc.unshare(0x10000000)'),
    denied('a namespace of mounts', 'libc.unshare(0x00020000)'),
    denied(
      'the namespace of the first process of the host',
      'libc.setns(os.open("/proc/1/ns/mnt", 0), 0)'.replace('os.', '__import__("os").'),
    ),
    denied('a file by its handle', 'libc.syscall(304, -100, b"x", 0)'),
    denied('a key of the kernel', '(-1 if libc.syscall(248, b"user", b"x", b"y", 1, -3) < 0 else 0)'),
    denied('a program in the kernel', '(-1 if libc.syscall(321, 0, b"x" * 64, 64) < 0 else 0)'),
    denied('a module of the kernel', 'libc.syscall(175, b"x", 1, b"")'),
    denied('swap', 'libc.swapon(b"/workspace/x", 0)'),
    denied('another name for the machine', 'libc.sethostname(b"mine", 4)'),
  ],
};
