import { approvalExample } from './approval.ts';
import { artifactsExample } from './artifacts.ts';
import { chainsExample } from './chains.ts';
import { invokerExample } from './invoker.ts';
import { sandboxesExample } from './sandboxes.ts';

await invokerExample();
await approvalExample();
await artifactsExample();
await sandboxesExample();
await chainsExample();
