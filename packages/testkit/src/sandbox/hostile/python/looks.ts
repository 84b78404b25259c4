import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

/** Gives what was found, which must be nothing. */
const finding = (name: string, code: string): HostileCase => ({ name, code: script(code), value: '[]' });

/** `proof` of conditions of which none may hold. */
const disproved = (name: string, code: string): HostileCase => finding(name, code);

/** Ways through processes, sockets and files. They only read and connect, so that they can be tried on anything. */
export const looks: HostileClass = {
  name: 'processes, sockets and files of the host',
  kind: 'escape',
  cases: [
    finding(
      'a command by subprocess',
      'import subprocess\nreturn secrets_in(tried(lambda: subprocess.getoutput("env; cat " + target["file"])) or "")',
    ),
    finding(
      'a command by os.popen',
      'import os\nreturn secrets_in(tried(lambda: os.popen("env; cat " + target["file"] + " /proc/*/environ 2>/dev/null").read()) or "")',
    ),
    finding(
      'a command by posix_spawn',
      `
      import os, sys
      reading, writing = os.pipe()
      child = os.posix_spawn(sys.executable, ["python3", "-c", "import os; print(dict(os.environ))"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
      os.waitpid(child, 0)
      return secrets_in(os.read(reading, 65536).decode())`,
    ),
    finding(
      'a forked child',
      'import os\nreading, writing = os.pipe()\nif os.fork() == 0:\n    os.write(writing, str(loot()).encode() + b".")\n    os._exit(0)\nreturn secrets_in(os.read(reading, 65536).decode())',
    ),
    finding(
      'the environment of all processes',
      'import glob\nreturn [one for place in glob.glob("/proc/*/environ") for one in secrets_in(tried(lambda: read(place)) or "")]',
    ),
    finding(
      'the command lines and open files of all processes',
      'import glob, os\nreturn [one for place in glob.glob("/proc/[0-9]*/fd/*") for one in secrets_in(tried(lambda: os.readlink(place) + read(place, 4096) if os.path.isfile(place) else "") or "")]',
    ),
    {
      ...disproved(
        'processes other than its own',
        'import os\nreturn proof(lambda: [name for name in os.listdir("/proc") if name.isdigit()] != ["1"])',
      ),
      ofSystem: true,
    },
    disproved(
      'the root of the first process',
      'import os\nreturn proof(lambda: os.path.exists("/proc/1/root" + target["file"]), lambda: os.path.exists("/proc/1/cwd/../../../../" + target["file"]))',
    ),
    finding(
      'a file by a path that climbs',
      'return [one for start in ["/workspace", "/ravi", "/proc/self/cwd", "."] for one in secrets_in(tried(lambda: read(start + "/../../../../../.." + target["file"])) or "")]',
    ),
    finding(
      'a file through a link',
      'import os, tempfile\nplace = os.path.join(tempfile.mkdtemp(), "link")\nos.symlink(target["file"], place)\nreturn secrets_in(tried(lambda: read(place)) or "")',
    ),
    disproved(
      'a hard link to a file of the host',
      'import os\nreturn proof(lambda: os.link(target["file"], "/tmp/hard") is None)',
    ),
    finding(
      'the canary on loopback',
      'import socket\nreturn proof(lambda: connected(socket.AF_INET, ("127.0.0.1", target["port"])))',
    ),
    finding(
      'the canary by every address that hosts have',
      'import socket\nreturn proof(*[lambda host=host: connected(socket.AF_INET, (host, target["port"])) for host in ["0.0.0.0", "127.1.2.3", "172.17.0.1", "10.0.2.2", "192.168.65.2"]])',
    ),
    finding(
      'the canary by HTTP',
      'import urllib.request\nreturn proof(lambda: urllib.request.urlopen(f"http://127.0.0.1:{target[\'port\']}/", timeout=1))',
    ),
    finding(
      'the canary by asyncio',
      'import asyncio\ntry:\n    await asyncio.wait_for(asyncio.open_connection("127.0.0.1", target["port"]), 1)\n    return proof(lambda: True)\nexcept OSError:\n    return []',
    ),
    disproved(
      'interfaces other than loopback',
      'import socket\nreturn proof(lambda: [name for _, name in socket.if_nameindex() if name != "lo"])',
    ),
    disproved(
      'a listener that others reach',
      'import socket\nend = socket.socket()\nend.bind(("127.0.0.1", 0))\nend.listen()\nreturn proof(lambda: "eth" in read("/proc/net/dev"), lambda: len(read("/proc/net/route").splitlines()) > 1)',
    ),
    disproved(
      'sockets of engines and of the system',
      'import os\nplaces = ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket"]\nreturn proof(*[lambda place=place: os.path.exists(place) for place in places])',
    ),
    disproved('sockets without a file', 'return proof(lambda: len(read("/proc/net/unix").splitlines()) > 1)'),
    disproved(
      'users, capabilities and privileges',
      'import os\nstatus = dict(line.split(":\\t", 1) for line in read("/proc/self/status").splitlines())\nreturn proof(lambda: os.getuid() == 0, lambda: os.getgid() == 0, lambda: int(status["CapEff"], 16), lambda: int(status["CapBnd"], 16), lambda: status["NoNewPrivs"] == "0", lambda: status["Seccomp"] == "0")',
    ),
    {
      ...disproved(
        'places that can be written',
        'import os\nreturn proof(*[lambda place=place: os.access(place, os.W_OK) for place in ["/", "/etc", "/usr", "/tmp", "/var", "/root", "/home", "/ravi", "/opt", "/boot"]])',
      ),
      ofSystem: true,
    },
    disproved(
      'disks, memory and the kernel as devices',
      'import os\nreturn proof(*[lambda name=name: os.path.exists("/dev/" + name) for name in ["mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "kvm", "fuse", "loop0", "net/tun", "shm/x"]])',
    ),
    disproved(
      'the memory of the kernel',
      'return proof(lambda: len(read("/proc/kcore", 64)), lambda: len(read("/proc/keys", 64)), lambda: len(read("/proc/timer_list", 64)))',
    ),
    disproved(
      'settings of the kernel',
      'import os\nplaces = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/overcommit_memory", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/memory/release_agent", "/proc/sys/kernel/modprobe"]\nreturn proof(*[lambda place=place: os.access(place, os.W_OK) for place in places])',
    ),
  ],
};
