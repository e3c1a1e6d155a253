import { z } from 'zod';
import { CommandRule } from '#db/schemas/network/mop-template.ts';

const result = (description: string) => z.boolean().describe(description);
const all = (what: string) => z.boolean().describe(`True: every ${what} must pass; false: one is enough`);
const error = z
  .string()
  .optional()
  .meta({
    description: 'Why the result is missing; absent when it exists',
    examples: ['edge-9: the device did not respond in time'],
  });

/** A device's response to a command (contract/lifecycle#7). */
export const SentCommand = z
  .object({
    raw: z.string().meta({ description: 'The command as it was sent', examples: ['show <!what!>'] }),
    evaluated: z
      .string()
      .meta({ description: 'The command as it was sent to the device', examples: ['show version'] }),
    device: z.string().meta({ description: 'Name of the device', examples: ['edge-1'] }),
    response: z.string().describe('Response of the device; empty without a response'),
    result: result('Whether it passed; without rules, whether the device accepted it'),
    error,
  })
  .meta({ id: 'SentCommand', description: 'A command on a device, with its response.' });

/** The outcome of a template's command on a device (contract/lifecycle#7). */
export const CommandResult = SentCommand.extend({
  all_pass_flag: all('rule'),
  parameters: z.record(z.string(), z.unknown()).meta({
    description: 'The variables that the command and its rules use',
    examples: [{ what: 'version' }],
  }),
  rules: z
    .array(CommandRule.extend({ result: result('Whether the rule passed'), error }))
    .describe('The rules, with their variables replaced'),
}).meta({
  id: 'CommandResult',
  description: 'A command of a template on a device, checked against its rules.',
});

/** The response of a run of a command template (contract/lifecycle#7). */
export const TemplateResult = z
  .object({
    all_pass_flag: all('command'),
    result: result('Whether the template passed'),
    name: z.string().meta({ description: 'Name of the template', examples: ['IOS precheck'] }),
    commands_results: z.array(CommandResult).describe('An entry for each command on each device'),
    command_results: z.array(CommandResult).describe('The same, for clients that read this name'),
  })
  .meta({ id: 'TemplateResult', description: 'A run of a command template.' });

/** The result of a command template that is tried on outputs of the caller (docs/mop.md). */
export const TriedTemplate = z
  .object({
    result: result('Whether the template passed'),
    commands: z
      .array(
        CommandResult.pick({
          evaluated: true,
          result: true,
          parameters: true,
          rules: true,
          error: true,
        }).extend({
          index: z.int().meta({ description: 'Index of the command in the template', examples: [0] }),
        }),
      )
      .describe('An entry for each command; several for one with a variable that is a list'),
  })
  .meta({ id: 'TriedTemplate', description: 'A command template that was applied to outputs.' });

const taken = (which: string) =>
  z
    .union([z.string(), z.array(z.array(z.string()))])
    .nullable()
    .describe(`The match in the output ${which} the change; for a table its rows; null: nothing`);

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
          result: result('Whether enough of its rules passed'),
          rules: z.array(
            z.object({
              type: z.string().meta({ description: 'Type of the rule', examples: ['matches'] }),
              pre: taken('before'),
              post: taken('after'),
              evaluator: z.string().meta({ description: 'Operator of the comparison', examples: ['='] }),
              result: result('Whether the rule passed'),
              error,
            }),
          ),
        }),
      )
      .describe('An entry for each pair of commands on each device'),
  })
  .meta({ id: 'AnalyticResult', description: 'The comparison of two runs.' });
