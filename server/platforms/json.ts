import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import type { PlatformRecord } from './record/platform-record.ts';
import { QUOTED, WORD } from './shared/parser-rules.ts';

const JSON_RULES: LexRule[] = [
  [',', 'end_line'],
  ['[{\\[]', 'open_statement_block'],
  ['[}\\]]', 'close_statement_block'],
  [':', 'comment'],
  QUOTED,
  ['[^\\s{}\\[\\],:"]+', 'word'],
  WORD,
];

export const json: PlatformRecord = {
  name: 'json',
  title: 'JSON',
  text: { structure: 'brace', lexRules: JSON_RULES, comments: [], multilineQuotes: false, negation: '' },
  // A JSON configuration is not a list of commands.
  commands: { form: 'none', removes: false },
};
