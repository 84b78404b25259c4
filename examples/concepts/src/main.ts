import { approvalExample } from './approval.ts';
import { artifactsExample } from './artifacts.ts';
import { chainsExample } from './chains.ts';
import { durableChainsExample } from './durable-chains.ts';
import { discoveryExample } from './discovery.ts';
import { invokerExample } from './invoker.ts';
import { sandboxesExample } from './sandboxes.ts';
import { snippetsExample } from './snippets.ts';
import { writingChainsExample } from './writing-chains.ts';

await invokerExample();
await approvalExample();
await artifactsExample();
await sandboxesExample();
await chainsExample();
await durableChainsExample();
await discoveryExample();
await snippetsExample();
await writingChainsExample();
