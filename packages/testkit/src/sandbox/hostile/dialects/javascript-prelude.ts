import type { Bait } from '../bait.ts';

/**
 * Tools of a hostile script in addition to `call`: `hunt(...things)` walks from things to every function constructor in
 * reach and gives what code made by them can steal; `steal(maker)` does so with one; `reached` is what a script returns
 * when it holds something of the host.
 */
export function javascriptPrelude({ variable, global, file, port, mark }: Bait): string {
  const half = mark.length / 2;
  // In two halves, so that a function which shows its source does not look like one that escaped.
  const target = JSON.stringify({ variable, global, file, port, mark: [mark.slice(0, half), mark.slice(half)] });
  return `const target = ${target};
  const booty = ${JSON.stringify(booty)};
  const { ownKeys, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
  const reached = target.mark[0] + target.mark[1];
  const steal = (maker) => {
    try { if (!/^(Async)?(Generator)?Function$/.test(getOwnPropertyDescriptor(maker, 'name').value)) return []; } catch { return []; }
    try { const made = maker('target', booty); return typeof made === 'function' ? made(target) : []; } catch { return []; }
  };
  const hunt = (...things) => {
    const found = [], seen = [];
    const visit = (thing, depth) => {
      if (thing === null || (typeof thing !== 'object' && typeof thing !== 'function')) return;
      if (depth > 4 || seen.length > 400 || seen.indexOf(thing) !== -1) return;
      seen[seen.length] = thing;
      try { visit(thing.constructor, depth + 1); } catch {}
      try { visit(getPrototypeOf(thing), depth + 1); } catch {}
      if (typeof thing === 'function') { const loot = steal(thing); for (let i = 0; i < loot.length; i++) if (typeof loot[i] === 'string') found[found.length] = loot[i]; }
      let keys = []; try { keys = ownKeys(thing); } catch {}
      for (let i = 0; i < keys.length && i < 40; i++) {
        try { const own = getOwnPropertyDescriptor(thing, keys[i]); visit(own.value, depth + 1); visit(own.get, depth + 1); visit(own.set, depth + 1); } catch {}
      }
    };
    for (let i = 0; i < things.length; i++) visit(things[i], 0);
    return found;
  };
  return { call: host.call, hunt, steal, reached, target };`;
}

/** First steps of code that reached the host's realm. In a guest they find nothing. */
const booty = `
  const found = [];
  const take = (action) => { try { const got = action(); if (got !== undefined) found.push(String(got)); } catch {} };
  const outside = globalThis.process;
  const mark = target.mark.join('');
  take(() => (outside.pid > 0 ? mark + ' process' : undefined));
  take(() => (typeof require === 'function' ? mark + ' require' : undefined));
  take(() => outside.env[target.variable]);
  take(() => globalThis[target.global]);
  take(() => outside.getBuiltinModule('node:fs').readFileSync(target.file, 'utf8'));
  take(() => void outside.getBuiltinModule('node:net').connect(target.port, '127.0.0.1').on('error', () => {}));
  return found;`;
