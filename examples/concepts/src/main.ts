import { approvalExample } from './approval.ts';
import { artifactsExample } from './artifacts.ts';
import { invokerExample } from './invoker.ts';

await invokerExample();
await approvalExample();
await artifactsExample();
