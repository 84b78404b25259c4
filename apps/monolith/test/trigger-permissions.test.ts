import assert from 'node:assert/strict';
import type { ToolRisk } from '@ravi/kernel';
import { test } from 'vitest';
import { createTriggerPermissions } from '../src/triggers/trigger-permissions.ts';
import type { TriggerPermissionServices, TriggerRights } from '../src/triggers/trigger-permissions.ts';

function rightsUnder(maxRiskUnapproved: 'safe' | 'high', defaultRisk: ToolRisk): TriggerRights {
  const toolAccess: TriggerPermissionServices['toolAccess'] = {
    toolsOf: () => undefined,
    roleOf: () => undefined,
    rules: { server: { tokens: [] }, toolAccess: { roles: {} } },
  };
  return createTriggerPermissions({
    toolbox: { names: () => ['read'] },
    toolAccess,
    policy: () => ({ maxRiskUnapproved, defaultRisk }),
  });
}

test('a trigger keeps the stricter of both risks of its creator and of now', () => {
  const recorded = rightsUnder('high', 'high').ofPrincipal('ada');
  assert.deepEqual(recorded, { tools: ['read'], maxRiskUnapproved: 'high', defaultRisk: 'high' });
  assert.deepEqual(rightsUnder('high', 'safe').risksOf(recorded), { maxRiskUnapproved: 'high', defaultRisk: 'high' });
  assert.deepEqual(rightsUnder('safe', 'critical').risksOf(recorded), {
    maxRiskUnapproved: 'safe',
    defaultRisk: 'critical',
  });
  // A trigger that was stored without a default risk has that of now.
  const { defaultRisk: _, ...old } = recorded;
  assert.deepEqual(rightsUnder('high', 'safe').risksOf(old), { maxRiskUnapproved: 'high', defaultRisk: 'safe' });
});
