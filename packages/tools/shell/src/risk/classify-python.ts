import type { RiskAssessment } from '@ravi/kernel';

// What a reader of the approval would want to see named. A name that is put together while the source runs is not found.
const critical: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bshutil\s*\.\s*rmtree\b|\bimport\s[^\n;]{0,500}?\brmtree\b|\brmtree\s*\(/u, 'deletes folders (rmtree)'],
  [/\bos\s*\.\s*(?:remove|unlink|rmdir|removedirs)\b|\.unlink\s*\(/u, 'deletes files'],
  [/\bsubprocess\b|\bos\s*\.\s*(?:system|popen|exec\w*|spawn\w*|fork\w*)\b|\bpty\b/u, 'starts other programs'],
  [
    /\bfrom\s+(?:os|posix)\s+import\s*(?:\([^)]{0,500}?|[^\n;]{0,500}?)(?:\b(?:remove|unlink|rmdir|system|popen|exec|spawn|fork|kill)|\*)/u,
    'imports what deletes files, or starts or ends programs',
  ],
  [/\bimport\s[^\n;]{0,500}?\b(?:os|posix)\s+as\b/u, 'gives the module os another name'],
  [/\bmultiprocessing\b/u, 'starts other processes'],
  [/\b(?:socket|http\.client|urllib\.request|requests|httpx)\b/u, 'opens network connections'],
  [/\bctypes\b|\bcffi\b/u, 'calls system functions directly'],
  [/\bos\s*\.\s*(?:kill|killpg)\b/u, 'ends processes'],
];

/**
 * Judges Python source by the names in it: `critical` if it names what deletes, or starts other programs, otherwise `high`. Source that
 * hides a name is `high` too, so a person sees every call.
 */
export function classifyPython(code: string): RiskAssessment {
  // The last line often ends with a new line.
  const lines = code.trimEnd().split('\n').length;
  const what = `Run ${lines} line${lines === 1 ? '' : 's'} of Python`;
  const reasons = critical.filter(([pattern]) => pattern.test(code)).map(([, reason]) => reason);
  return reasons.length === 0
    ? { risk: 'high', summary: what }
    : { risk: 'critical', summary: `${what}, which ${reasons.join(', ')}` };
}
