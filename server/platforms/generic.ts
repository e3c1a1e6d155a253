import type { PlatformRecord } from './record/platform-record.ts';

/** What is wrong with a command, in the words of many vendors. */
const WRONG = 'ambiguous|incomplete|invalid|unknown|unrecognized';

/** Lines of many vendors that reject a command. What may be the name of a counter counts with a text behind it only. */
const FAILURES = [
  `%{1,2} ?(?i:[\\s"]{0,3}(?:${WRONG}|bad (?:ip|mask|passwords?|secrets?)|error|failed to|missing|no matching command|parse|too (?:few|many)|unavailable|wrong)\\b)`,
  '% {1,3}".{0,80}" {1,3}Unknown command',
  '(?:-> ?)?[\\[(*]{0,3}(?i:(?:(?:server|unexpected|data input|validation|parsing) )?error) {0,2}(?:[:\\])!]| - )(?:\\s*$|(?:\\s*\\d+)?\\s*[^\\d\\s])',
  `(?i:[%*?^\\-]{0,10} ?(?:(?:${WRONG}|bad|illegal) (?:action|argument|command|input|keyword|parameter|syntax|token)\\b|syntax error|parse error|command (?:fail|incomplete|not found|not recognized|parse error|rejected)))`,
  '(?:MINOR|MAJOR|CRITICAL|Aborted|failure|E\\d{3}): [A-Za-z]',
  'CLINFR\\d+|NMSHST\\d+|SHELL PARSER FAILURE|[0-9a-f]{8}:3: ',
  "'.{0,60}' is (?:ambiguous|not recognized)|missing argument",
  'bad command name|expected end of command|input does not match|no such item|value parse error|entry not found',
  '(?:Set|Commit) failed',
  '(?:Error|Ambiguous) input in the position marked|Incorrect (?:input|Usage)\\b',
  '-?\\w{1,20}: (?:line )?(?:\\d+: )?.{0,80}command not found',
];

export const generic: PlatformRecord = {
  name: 'generic',
  title: 'Any device with a prompt: only the commands themselves are sent',
  deviceTypes: [
    {
      device_type: 'generic',
      prompts: ['[^\\n]{0,120}[>#$%\\]]'],
      enable: 'enable',
      failures: FAILURES,
    },
    {
      device_type: 'autodetect',
      description: 'Detects the device type from the greeting and one command',
      extends: 'generic',
    },
  ],
};
