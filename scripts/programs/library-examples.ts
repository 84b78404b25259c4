// The examples of the documentation that need no sandbox, in one program.
import { approvalExample } from '../../examples/concepts/src/approval.ts';
import { artifactsExample } from '../../examples/concepts/src/artifacts.ts';
import { invokerExample } from '../../examples/concepts/src/invoker.ts';

await invokerExample();
await approvalExample();
await artifactsExample();
