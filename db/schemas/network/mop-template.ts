import { z } from 'zod';
import { draftErrors } from '../assets/draft.ts';
import { flag, number, text, textOrNull } from '../fields.ts';
import { Author, Namespace, Severity, TagReference } from '../primitives.ts';

const severity = Severity.optional().describe('Severity of a failed rule');

/** Options for matching the text of a rule. */
const RuleFlags = z
  .looseObject({
    case: flag('True: case is ignored, like the expression flag i'),
    global: flag('True: all matches are checked, not only the first'),
    multiline: flag('True: ^ and $ match at every line'),
  })
  .describe('Flags of the expression');

/** A check on the output of a command (contract/resources#2.11, contract/lifecycle#7). */
export const CommandRule = z
  .looseObject({
    rule: z.string().meta({
      description: 'Text or expression to search for; <!name!> is replaced by a variable',
      examples: ['Version <!version!>'],
    }),
    eval: z.string().meta({
      description:
        'How rule is applied to the output, such as contains, !contains, RegEx or #comparison (the first group of rule against that of ruleB)',
      examples: ['contains'],
    }),
    raw: text('The rule before its variables were replaced'),
    result: z.boolean().optional().describe('Whether the rule passed; only in results of a run'),
    severity,
    flags: RuleFlags.optional(),
    ruleB: text('Second expression of a comparison, or the value itself'),
    evaluator: text('Operator of a comparison, such as = or % (the share that one is of the other)', '='),
    percentage: number('Bound for the operator %, in percent', 90),
  })
  .meta({ id: 'CommandRule', description: 'One condition on the output of a command.' });
export type CommandRule = z.infer<typeof CommandRule>;

/** A command and the checks on its output (contract/resources#2.11). */
export const CheckedCommand = z
  .looseObject({
    command: z.string().meta({
      description: 'Command to send to the device; <!name!> is replaced by a variable',
      examples: ['show interfaces <!interface!>'],
    }),
    passRule: flag('True: every rule must pass; false: one is enough'),
    rules: z.array(CommandRule).optional().describe('Conditions on the output of the command'),
  })
  .meta({ id: 'CheckedCommand', description: 'A command to send and the conditions on its output.' });
export type CheckedCommand = z.infer<typeof CheckedCommand>;

const epoch = (description: string) =>
  z
    .number()
    .optional()
    .meta({ description: `${description}, in milliseconds since 1970`, examples: [1767225600000] });

const common = {
  _id: text('Id of the template, equal to its name', 'IOS precheck'),
  name: z.string().meta({ description: 'Name of the template, unique', examples: ['IOS precheck'] }),
  os: text('Operating system that the commands are for; empty for any', 'cisco-ios'),
  passRule: flag('True: every command must pass; false: one is enough'),
  description: textOrNull('Purpose of the template'),
  tags: z.array(TagReference).optional().describe('Labels of the template'),
  namespace: Namespace.optional(),
  created: epoch('When the template was stored'),
  createdBy: Author.optional().describe('Username of the account that stored the template'),
  lastUpdated: epoch('When the template last changed'),
  lastUpdatedBy: Author.optional().describe('Username of the account that last changed the template'),
};

/** A command template: commands to send and checks on their output (contract/resources#2.11, contract/lifecycle#7). */
export const CommandTemplate = z
  .looseObject({
    ...common,
    commands: z.array(CheckedCommand).optional().describe('Commands, in the order in which they are sent'),
    ignoreWarnings: z
      .boolean()
      .nullable()
      .optional()
      .describe('True: rules of severity warning do not fail a command; null as false'),
    errors: draftErrors(),
  })
  .meta({
    id: 'CommandTemplate',
    description: 'A method of procedure: commands for devices, with rules for their output.',
  });
export type CommandTemplate = z.infer<typeof CommandTemplate>;

/** A comparison of the output before a change with the output after it (contract/lifecycle#7). */
export const AnalyticRule = z
  .looseObject({
    type: text(
      'matches or regex: the matches in both outputs must compare as evaluator says; !matches: they must not; table: each matching line is a row',
      'matches',
    ),
    preRegex: text('Expression whose match in the first output is compared', 'Version (\\S+)'),
    postRegex: text('Expression whose match in the second output is compared', 'Version (\\S+)'),
    evaluator: text('Operator between the two matches', '='),
    evaulator: text('The same as evaluator, in the spelling of one client'),
    percentage: number('Bound for the operator %, in percent', 90),
    flags: RuleFlags.optional(),
    severity,
  })
  .meta({ id: 'AnalyticRule', description: 'One condition on two outputs of a command.' });
export type AnalyticRule = z.infer<typeof AnalyticRule>;

/** A command sent before and one sent after a change (contract/lifecycle#7). */
export const PrePostCommand = z
  .looseObject({
    preRawCommand: text('Command sent before the change', 'show version'),
    postRawCommand: text('Command sent after the change', 'show version'),
    passRule: flag('True: every rule must pass; false: one is enough'),
    rules: z.array(AnalyticRule).optional().describe('Conditions on the two outputs'),
  })
  .meta({ id: 'PrePostCommand', description: 'Commands before and after a change, with the conditions.' });
export type PrePostCommand = z.infer<typeof PrePostCommand>;

/** An analytic template: comparisons of command output before and after a change (contract/lifecycle#7). */
export const AnalyticTemplate = z
  .looseObject({
    ...common,
    prepostCommands: z.array(PrePostCommand).optional().describe('Pairs of commands to compare'),
    errors: draftErrors(),
  })
  .meta({
    id: 'AnalyticTemplate',
    description: 'Commands sent before and after a change, with rules that compare their outputs.',
  });
export type AnalyticTemplate = z.infer<typeof AnalyticTemplate>;
