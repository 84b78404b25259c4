import type { BannedPhrase } from './find-phrases.ts';

/** Phrases that make a reader start the sentence again. The list and its reasons are in docs/glossary.md. */
export const bannedPhrases: readonly BannedPhrase[] = [
  ban(
    /\b(?:some|any|no)body(?:'s|’s)?\b(?!:)/gi,
    'name the actor: the caller, the user, the approver, another process',
  ),
  ban(/\bwho(?:so)?ever\b|\bwhosever\b/gi, 'name the actor'),
  ban(/\b(?:for|of) who\b/gi, 'name the actor'),
  ban(
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more than\b|less than\b|fewer than\b|larger than\b|smaller than\b|need\b)/gi,
    'write "is not a …" or "there is no …"',
  ),
  ban(/\b(?:that|which) (?:is|are) none\b/gi, 'say what is wrong with it'),
  ban(/\b(?:goes|going|gone|went|go) on\b(?! to\b)/gi, 'continues, resumes'),
  ban(/\bstands?\b(?!-| for\b|alone| out\b| still\b| by\b)/gi, 'is, is listed, is stored'),
  ban(/\b(?:is|are|was|were|be|been) told\b|\b(?:tells?|told) of\b/gi, 'receives, is notified of, reports'),
  ban(/\bbesides?\b/gi, 'in addition to, next to, compared with'),
  ban(
    /\bbehind\b(?! (?:a|the|an|another) (?:reverse )?(?:proxy|proxies|load balancer|gateway)\b)/gi,
    'after; or name the relation',
  ),
  ban(/\bwhat(?:so)?ever\b/gi, 'any; or name the cases'),
  ban(/\bby (?:itself|themselves)\b/gi, 'automatically, on its own'),
  ban(/\bfor one\b(?=[.,;:)])/gi, 'for example'),
  ban(/\bl(?:ies|ie|ay|ying) (?:in|at|on|below|under)\b/gi, 'is in'),
  ban(/\banew\b/gi, 'again'),
  ban(/\bmend(?:s|ed|ing)?\b/gi, 'fix'),
  ban(
    /\/\*\* ?(?:What|Who|Whose|Whether|Where|How|Why|When|Which)\b/g,
    'open TSDoc with a noun or a verb in the third person',
  ),
];

function ban(pattern: RegExp, instead: string): BannedPhrase {
  return { pattern, instead };
}
