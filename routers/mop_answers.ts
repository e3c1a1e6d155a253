import { z } from 'zod';
import { CommandRule } from '#db/schemas/network/mop-template.ts';

const result = (description: string) => z.boolean().describe(description);
const all = (what: string) => z.boolean().describe(`True: every ${what} must pass; false: one is enough`);
const error = z
  .string()
  .optional()
  .meta({
    description: 'Why there is no result; absent when there is one',
    examples: ['edge-9: the device did not answer in time'],
  });

/** A device's response to a command (contract/lifecycle#7). */
export const SentCommand = z
  .object({
    raw: z.string().meta({ description: 'The command as it was given', examples: ['show <!what!>'] }),
    evaluated: z
      .string()
      .meta({ description: 'The command as the device was sent it', examples: ['show version'] }),
    device: z.string().meta({ description: 'Name of the device', examples: ['edge-1'] }),
    response: z.string().describe('What the device answered; empty when it did not'),
    result: result('Whether it passed; without rules, whether the device took it'),
    error,
  })
  .meta({ id: 'SentCommand', description: 'A command on a device, and what it answered.' });

/** The outcome of a template's command on a device (contract/lifecycle#7). */
export const CommandResult = SentCommand.extend({
  all_pass_flag: all('rule'),
  parameters: z.record(z.string(), z.unknown()).meta({
    description: 'The variables that the command and its rules use',
    examples: [{ what: 'version' }],
  }),
  rules: z
    .array(CommandRule.extend({ result: result('Whether the rule held'), error }))
    .describe('The rules, with their variables filled in'),
}).meta({ id: 'CommandResult', description: 'A command of a template on a device, held against its rules.' });

/** The response of a run of a command template (contract/lifecycle#7). */
export const TemplateResult = z
  .object({
    all_pass_flag: all('command'),
    result: result('Whether the template passed'),
    name: z.string().meta({ description: 'Name of the template', examples: ['IOS precheck'] }),
    commands_results: z.array(CommandResult).describe('An entry for each command on each device'),
    command_results: z.array(CommandResult).describe('The same: clients read either'),
  })
  .meta({ id: 'TemplateResult', description: 'A run of a command template.' });

const taken = (which: string) =>
  z
    .union([z.string(), z.array(z.array(z.string()))])
    .nullable()
    .describe(`What was taken from the output ${which} the change; for a table its rows; null: nothing`);

/** The response of a comparison of two runs (contract/lifecycle#7). */
export const AnalyticResult = z
  .object({
    name: z.string().meta({ description: 'Name of the analytic template', examples: ['Routes kept'] }),
    result: result('Whether the template passed'),
    analytic_result: z
      .array(
        z.object({
          device: z.string().meta({ description: 'Name of the device', examples: ['edge-1'] }),
          command: z
            .string()
            .meta({ description: 'The command before the change', examples: ['show ip route'] }),
          result: result('Whether enough of its rules held'),
          rules: z.array(
            z.object({
              type: z.string().meta({ description: 'Type of the rule', examples: ['matches'] }),
              pre: taken('before'),
              post: taken('after'),
              evaluator: z.string().meta({ description: 'Operator between the two', examples: ['='] }),
              result: result('Whether the rule held'),
              error,
            }),
          ),
        }),
      )
      .describe('An entry for each pair of commands on each device'),
  })
  .meta({ id: 'AnalyticResult', description: 'Two runs, held against each other.' });
