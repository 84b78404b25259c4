// The build puts the check of the Node version here. A static import would be loaded, and could fail, before the check.
const { runProgram } = await import('./server-program.ts');
await runProgram();
