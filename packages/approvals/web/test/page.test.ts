import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createArgumentTree } from '@ravi/testkit';
import { accessibilityProblems } from '@ravi/test-browser';
import { inBrowser, startFileBrowser } from './support/browser-test.ts';
import { tokens } from './support/handler.ts';
import { button, cardOf, isUnexpected, signIn } from './support/page.ts';
import { startApprovalServer } from './support/server.ts';

const screenshots = join(import.meta.dirname, '../../../../artifacts/approvals');
const browser = startFileBrowser();

inBrowser('a person signs in, sees what is asked, approves, and the call continues', async () => {
  await using server = await startApprovalServer();
  const { page, errors } = await browser.open(server.url);
  await page.getByLabel('Your token').fill('not a token');
  await button(page, 'Sign in').click();
  await page.getByText('Unknown token').waitFor();
  await signIn(page);
  await page.getByText('Nothing waits for your decision').waitFor();

  const result = server.ask();
  const card = cardOf(page, 'Write delays.md');
  await card.waitFor();
  const text = await card.innerText();
  for (const words of [
    'publish_report',
    'high risk',
    'Writes a report to disk.',
    '"text": "Flights were late."',
    'ada',
    'left',
  ])
    assert.ok(text.includes(words), `${words} is missing in ${text}`);
  assert.equal(await page.title(), '(1) Approvals');
  await button(page, 'Approve').click();
  assert.deepEqual(await result, { decision: 'approved', scope: 'once', approver: 'ada' });
  await page.getByText('Nothing waits for your decision').waitFor();
  await page.locator('#past').getByText('Approved').waitFor();
  await page.getByRole('log').getByText('Approved: publish_report').waitFor({ state: 'attached' });
  assert.deepEqual(errors.filter(isUnexpected), []);
});

inBrowser('a denial carries its reason, and an approval for the run its scope', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const denied = server.ask({ id: 'a', summary: 'First' });
  await cardOf(page, 'First').waitFor();
  await button(page, 'Deny').click();
  await page.getByLabel('Why not?').fill('Not on a Friday');
  await button(page, 'Deny this call').click();
  assert.deepEqual(await denied, { decision: 'denied', reason: 'Not on a Friday', approver: 'ada' });
  await page.getByText('“Not on a Friday”').waitFor();

  const forRun = server.ask({ id: 'b', summary: 'Second' });
  await button(page, 'Approve for this run').click();
  assert.deepEqual(await forRun, { decision: 'approved', scope: 'run', approver: 'ada' });
  const critical = server.ask({ id: 'c', summary: 'Third', risk: 'critical' });
  await cardOf(page, 'Third').waitFor();
  assert.equal(await button(page, 'Approve for this run').count(), 0);
  await button(page, 'Approve').click();
  await button(page, 'Yes, run this critical call').click();
  assert.equal((await critical).decision, 'approved');
});

inBrowser('a request whose time has passed can still be decided if it is parked', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const result = server.ask({ expiresAt: Date.now() + 1_500, onExpiry: 'park' });
  await page.getByText(/^Parked for /).waitFor();
  await page.reload();
  await page.getByText(/^Parked for /).waitFor();
  await button(page, 'Approve').click();
  assert.equal((await result).decision, 'approved');
  assert.equal((await server.store.get('approval-1'))?.status, 'consumed');
});

inBrowser('edited arguments are sent once they are an object, and the mistake is shown next to them', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const result = server.ask();
  await cardOf(page, 'Write delays.md').waitFor();
  await button(page, 'Edit arguments').click();
  const field = page.getByLabel('Arguments to run with instead');
  assert.deepEqual(JSON.parse(await field.inputValue()), { path: 'delays.md', text: 'Flights were late.' });
  for (const [typed, said] of [
    ['{"path": }', 'This is not JSON yet'],
    ['["delays.md"]', 'Arguments are a JSON object'],
  ] as const) {
    await field.fill(typed);
    await button(page, 'Approve with these arguments').click();
    await page.getByText(said).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await field.evaluate((element) => element.matches(':focus')), true);
  }
  assert.equal((await server.store.get('approval-1'))?.status, 'pending');
  await field.fill('{"path": "other.md"}');
  await button(page, 'Approve with these arguments').click();
  const { modifiedArgs, decision } = await result;
  assert.deepEqual([decision, modifiedArgs], ['modified', { path: 'other.md' }]);
  await page.getByText('changed path, text').waitFor();
});

inBrowser('if two people decide at once, one sees that the other was first', async () => {
  await using server = await startApprovalServer();
  const ada = await browser.open(server.url);
  const grace = await browser.open(server.url);
  await signIn(ada.page);
  await signIn(grace.page, tokens.grace);
  const result = server.ask();
  await Promise.all([ada, grace].map(({ page }) => cardOf(page, 'Write delays.md').waitFor()));
  // Both requests are held until both are sent: a card that another approver has decided is gone.
  const bothGiven = Promise.withResolvers<void>();
  let given = 0;
  for (const { page } of [ada, grace]) {
    await page.route('**/decision', async (route) => {
      if (++given === 2) bothGiven.resolve();
      await bothGiven.promise;
      await route.continue();
    });
  }
  await Promise.all([button(ada.page, 'Approve').click(), button(grace.page, 'Approve').click()]);
  const { approver = '' } = await result;
  const loser = approver === 'ada' ? grace : ada;
  await loser.page
    .getByText(`${approver} decided first: this request is approved. Your decision changed nothing`)
    .waitFor();
  assert.equal(await button(loser.page, 'Dismiss').evaluate((element) => element.matches(':focus')), true);
  await loser.page.keyboard.press('Enter');
  await loser.page.getByText('Nothing waits for your decision').waitFor();
  assert.equal((await server.store.changes()).items.filter(({ to }) => to === 'approved').length, 1);
});

inBrowser(
  'a request that another approver decides disappears, and stays with a notice while it is being edited',
  async () => {
    await using server = await startApprovalServer();
    const ada = await browser.open(server.url);
    const grace = await browser.open(server.url);
    await signIn(ada.page);
    await signIn(grace.page, tokens.grace);
    void server.ask({ id: 'a', summary: 'First' });
    await cardOf(grace.page, 'First').waitFor();
    await cardOf(ada.page, 'First').waitFor();
    await button(grace.page, 'Approve').click();
    await ada.page.getByText('Nothing waits for your decision').waitFor();
    await ada.page.getByRole('log').getByText('Approved by grace: publish_report').waitFor({ state: 'attached' });

    void server.ask({ id: 'b', summary: 'Second' });
    await cardOf(ada.page, 'Second').waitFor();
    await cardOf(grace.page, 'Second').waitFor();
    await button(ada.page, 'Deny').click();
    await ada.page.getByLabel('Why not?').fill('I would rather');
    await button(grace.page, 'Approve').click();
    await ada.page.getByText('grace has decided: approved.').waitFor();
    assert.equal(await button(ada.page, 'Deny this call').count(), 0);
  },
);

inBrowser('nothing is shown as decided before the server has confirmed it', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const result = server.ask();
  await cardOf(page, 'Write delays.md').waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/decision', async (route) => {
    await held.promise;
    await route.continue();
  });
  await button(page, 'Approve').click();
  const card = cardOf(page, 'Write delays.md');
  await card.and(page.locator('[aria-busy="true"]')).waitFor();
  assert.equal(await page.locator('#past li').count(), 0);
  assert.equal((await server.store.get('approval-1'))?.status, 'pending');
  held.resolve();
  assert.equal((await result).decision, 'approved');
  await page.locator('#past').getByText('Approved').waitFor();
});

inBrowser('an answer that does not reach the server is said to be unconfirmed, and can be repeated', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const result = server.ask();
  await cardOf(page, 'Write delays.md').waitFor();
  await page.route('**/decision', (route) => route.abort());
  await button(page, 'Approve').click();
  await page.getByText('The server cannot be reached. Nothing is confirmed; try again.').waitFor();
  await page.unroute('**/decision');
  await button(page, 'Approve').click();
  assert.equal((await result).decision, 'approved');
});

inBrowser('a reload and a restart of the server lose neither the session nor a request', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  void server.ask({ id: 'a', summary: 'First' }).catch(() => {});
  await cardOf(page, 'First').waitFor();
  await page.reload();
  await cardOf(page, 'First').waitFor();

  await server.restart();
  const resumed = server.ask({ id: 'b', summary: 'Second' });
  await cardOf(page, 'Second').waitFor();
  await cardOf(page, 'Second').getByRole('button', { name: 'Approve', exact: true }).click();
  assert.equal((await resumed).decision, 'approved');
  await cardOf(page, 'First').waitFor();
  assert.equal(await cardOf(page, 'Second').count(), 1, 'it is among the decided ones and nowhere else');
});

inBrowser('a request whose time is over is no longer offered', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  void server.ask({ expiresAt: Date.now() + 1_500 });
  await cardOf(page, 'Write delays.md').waitFor();
  await page.getByText('Nothing waits for your decision').waitFor();
  await page.locator('#past').getByText('Expired').waitFor();
});

inBrowser('everything can be done with the keyboard, and the focus is never lost', async () => {
  await using server = await startApprovalServer();
  const { page } = await browser.open(server.url);
  const focused = () => page.locator(':focus').innerText();
  const tabTo = async (name: string) => {
    for (let step = 0; (await focused()) !== name; step++) {
      assert.ok(step < 30, `${name} is not reached`);
      await page.keyboard.press('Tab');
    }
  };
  await page.locator('#token:focus').waitFor();
  await page.keyboard.type(tokens.ada);
  await page.keyboard.press('Enter');
  await page.locator('#waiting-heading:focus').waitFor();
  const denied = server.ask({ id: 'a', tool: 'first_tool' });
  const approved = server.ask({ id: 'b', tool: 'second_tool', requestedAt: Date.now() + 1 });
  await page.getByRole('heading', { name: 'second_tool' }).waitFor();

  await tabTo('Deny');
  await page.keyboard.press('Enter');
  await page.locator('[data-part="reason"]:focus').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await focused(), 'Deny');
  await page.keyboard.press('Enter');
  await page.keyboard.type('no');
  await tabTo('Deny this call');
  await page.keyboard.press('Enter');
  assert.equal((await denied).reason, 'no');
  await page.locator('h3:focus').waitFor();
  assert.equal(await focused(), 'second_tool');
  await tabTo('Approve');
  await page.keyboard.press('Space');
  assert.equal((await approved).decision, 'approved');
  await page.locator('#waiting-heading:focus').waitFor();
});

inBrowser('text of a request is shown as text, markup included', async () => {
  await using server = await startApprovalServer();
  const { page, errors } = await browser.open(server.url);
  await signIn(page);
  const hostile = `<img src=x onerror="alert(1)"></script><script>alert(1)</script>\u202egnp.exe\u0007`;
  page.on('dialog', () => assert.fail('a script of a request ran'));
  void server.ask({ tool: hostile, summary: hostile, description: hostile, args: { [hostile]: hostile } });
  await page.getByRole('heading', { name: 'gnp.exe' }).waitFor();
  assert.equal(await page.locator('#cards img').count(), 0);
  const shown = await page.locator('#cards').innerText();
  assert.ok(shown.includes(String.raw`\u{202e}gnp.exe\u{7}`), shown);
  assert.ok(!shown.includes('\u202e'));
  assert.deepEqual(errors.filter(isUnexpected), []);
});

inBrowser('arguments that are too long for the list come on demand', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const result = server.ask({ args: { text: 'x'.repeat(50_000), path: 'at the end' } });
  await page.getByRole('button', { name: /^Show the arguments \(50,\d{3} characters\) before you approve$/ }).waitFor();
  await button(page, 'Approve').dispatchEvent('click');
  await page.getByRole('button', { name: /^Show the arguments/ }).click();
  await page.getByText('"path": "at the end"').waitFor();
  await button(page, 'Approve').click();
  assert.equal((await result).decision, 'approved');
});

inBrowser('every value that will run is on the page before Approve is enabled', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  for (const seed of [1, 3, 7, 10, 13, 20]) {
    const { args } = createArgumentTree(seed);
    const result = server.ask({ id: `tree-${seed}`, summary: `Tree ${seed}`, args });
    const card = cardOf(page, `Tree ${seed}`);
    await card.waitFor();
    if (await card.locator('[data-part="whole"]').isVisible()) {
      assert.equal(await button(page, 'Approve').getAttribute('aria-disabled'), 'true');
      await card.locator('[data-part="whole"]').click();
    }
    await card.locator('[data-part="approve"][aria-disabled="false"]').waitFor();
    const shown = await card.locator('.row').evaluateAll((rows) => rows.map((row) => row.textContent ?? '').join(''));
    assert.deepEqual(JSON.parse(shown), JSON.parse(JSON.stringify(args)), `seed ${seed}`);
    await button(page, 'Approve').click();
    assert.equal((await result).decision, 'approved');
    await page.getByText('Nothing waits for your decision').waitFor();
  }
});

inBrowser('axe-core would find a field without a label', async () => {
  await using server = await startApprovalServer();
  const { page } = await browser.open(server.url);
  await page.getByText('Your token').evaluate((label) => label.remove());
  assert.match((await accessibilityProblems(page)).join(), /\blabel: Form elements must have labels/);
});

for (const [width, theme] of [
  [1_200, 'light'],
  [1_200, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const) {
  inBrowser(`axe-core finds no barrier at a width of ${width} in the ${theme} theme`, async () => {
    await using server = await startApprovalServer();
    for (const [id, overrides] of Object.entries(samples)) void server.ask({ id, callId: id, ...overrides });
    await server.store.decide('mail', {
      decision: 'denied',
      reason: 'Not needed',
      approver: 'ada',
      decidedAt: Date.now(),
    });
    const { page, errors } = await browser.open(server.url, { width, theme });
    const look = async (name: string) => {
      await page.screenshot({ path: join(screenshots, `${name}-${width}-${theme}.png`), fullPage: true });
      assert.deepEqual(await accessibilityProblems(page), []);
      const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
      assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
    };
    await look('sign-in');
    await signIn(page, tokens.grace);
    const card = cardOf(page, 'Pay 120 €');
    await card.waitFor();
    await look('waiting');
    await card.getByRole('button', { name: 'Edit arguments' }).click();
    await card.getByLabel('Arguments to run with instead').fill('{"cents": }');
    await button(page, 'Approve with these arguments').click();
    await page.getByText('This is not JSON yet').waitFor();
    await look('editing');
    assert.deepEqual(errors.filter(isUnexpected), []);
  });
}

const samples = {
  mail: { tool: 'send_mail', summary: 'Mail to everybody', args: { to: 'all@example.org' } },
  publish: {},
  refund: {
    tool: 'refund_order',
    summary: 'Pay 120 € to customer 7',
    description: 'Pays money back to a customer. It cannot be taken back.',
    risk: 'critical',
    principal: 'bob',
    args: { order: 81_723, cents: 12_000, account: { iban: 'DE89 3704 0044 0532 0130 00', token: '[redacted]' } },
  },
} as const;
