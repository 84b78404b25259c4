import type { Bait } from '../bait.ts';

/**
 * Tools of a hostile script in Python in addition to `call`: `loot()` takes what it can from environments, files and the
 * network; `hunt(*things)` returns the secrets in everything that can be reached from things; `proof(*conditions)` says
 * `reached` when one of them holds; `tried(action)` is what an action gives, or `None`; `send(text)` and `raw(data)` write
 * to the channel as if the runtime did, with records made by `record(kind, *fields)`.
 */
export function pythonPrelude({ variable, file, port, mark }: Bait): string {
  const half = mark.length / 2;
  // In two halves, so that a script which shows its memory does not look like one that escaped.
  const target = JSON.stringify({ variable, file, port, mark: [mark.slice(0, half), mark.slice(half)] });
  return `import json
target = json.loads(${JSON.stringify(target)})
${tools}`;
}

const tools = `
import ctypes, gc, glob, os, re, socket

SECRET = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

class Call:
    def __call__(self, op, payload):
        return host.call(op, payload)
    def __start__(self, op, payload):
        return host.start(op, payload)

def reached():
    return "".join(target["mark"])

def tried(action):
    try:
        return action()
    except Exception:
        return None

def proof(*conditions):
    return [reached() for condition in conditions if tried(condition)]

def secrets_in(text):
    return sorted({found for found in SECRET.findall(text) if found != reached()})

def read(path, size=1 << 20):
    with open(path, "rb") as file:
        return file.read(size).decode("latin-1")

def connected(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(0.3)
        end.connect(address)
        return True

def loot():
    found = []
    tries = [lambda: os.environ[target["variable"]], lambda: read(target["file"])]
    for place in glob.glob("/proc/[0-9]*"):
        tries.append(lambda place=place: read(place + "/environ").split(target["variable"] + "=")[1].split("\\0")[0])
        tries.append(lambda place=place: read(place + "/root" + target["file"]))
    for action in tries:
        got = tried(action)
        if got:
            found.append(got)
    tried(lambda: connected(socket.AF_INET, ("127.0.0.1", target["port"])))
    tried(lambda: connected(socket.AF_INET6, ("::1", target["port"])))
    return sorted(set(found))

def hunt(*things):
    found, seen, left = set(), set(), list(things)
    while left and len(seen) < 200000:
        thing = left.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, str) and len(thing) < 100000:
            found.update(secrets_in(thing))
        left.extend(gc.get_referents(thing))
    return sorted(found)

def record(kind, *fields):
    return kind + "".join(f"{len(field)}:{field}" for field in fields)

def raw(data):
    end = os.open("/ravi/out", os.O_WRONLY)
    while data:
        data = data[os.write(end, data):]
    os.close(end)

def send(text):
    if not os.path.exists("/ravi/out"):
        # Without pipes the runtime has a function for whole frames.
        return host.channel.send(text)
    raw(len(text.encode()).to_bytes(4, "little") + text.encode())

libc = ctypes.CDLL(None, use_errno=True)
names = dict(call=Call(), target=target, reached=reached, tried=tried, proof=proof, secrets_in=secrets_in, read=read,
             connected=connected, loot=loot, hunt=hunt, record=record, raw=raw, send=send, libc=libc)
`;
