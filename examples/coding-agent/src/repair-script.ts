/** Task for the reviewer. */
export const reviewTask = 'Review what is staged. It is to repair a failing test.';

/** Script of the agent `coder`: the same work in one call of `tool_chain`. */
export const repairScript: string = String.raw`
  const before = await tools.test_runner({});
  const [failure] = before.failures;
  if (failure === undefined) return { passed: before.passed, committed: 'nothing' };

  // The names of the tests begin with the function that they are about.
  const name = failure.name.split(' ')[0];
  const { matches = [] } = await tools.grep({ pattern: 'export function ' + name + '\\b' });
  if (matches.length !== 1) throw new Error('There are ' + matches.length + ' functions ' + name);
  const { path } = matches[0];
  const { text = '' } = await tools.read({ path });
  const [oldText] = text.match(/\w+ \+ \w+;/) ?? [];
  if (oldText === undefined) throw new Error('There is no mistake that I know in ' + path);
  await tools.edit({ path, oldText, newText: oldText.replace('+', '*') });

  const after = await tools.test_runner({});
  if (after.failed > 0) {
    await tools.undo({});
    return { failed: after.failed, committed: 'nothing' };
  }
  await tools.git_add({ paths: [path] });
  const review = await tools.reviewer({ task: ${JSON.stringify(reviewTask)} });
  if (!review.startsWith('Approved')) return { review, committed: 'nothing' };
  const { commit } = await tools.git_commit({ message: 'Repair what fails: ' + failure.name });
  return { passed: after.passed, review, committed: commit.subject };
`;
