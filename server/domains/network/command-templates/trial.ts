import type { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { entryOf, planned } from './plan.ts';
import { allMust, allOrAny, type CommandEntry } from './results.ts';
import type { Values } from './variables.ts';

/** A template, stored or not, and the outputs that its rules are applied to. */
export type TemplateTrial = {
  template: Pick<CommandTemplate, 'commands' | 'ignoreWarnings' | 'passRule'>;
  /** The output of each command, in order; null or absent: none. */
  outputs: readonly (string | null)[];
  variables: Values;
};

/** The outcome of a command in a trial. */
type TriedCommand = Pick<CommandEntry, 'evaluated' | 'result' | 'parameters' | 'rules' | 'error'> & {
  /** Index of the command in the template. */
  index: number;
};

/** The result of a trial. */
export type TriedTemplate = { result: boolean; commands: TriedCommand[] };

/** Applies the rules of a template to outputs as a run applies them to the responses of a device (contract/lifecycle#7). */
export function triedTemplate({ template, outputs, variables }: TemplateTrial): TriedTemplate {
  const { commands = [], ignoreWarnings, passRule } = template;
  const tried = commands.flatMap((command, index) =>
    planned({ commands: [command], ignoreWarnings }, variables).map((one) => {
      const output = outputs[index] ?? null;
      const fault = one.fault ?? (output === null ? 'No output was sent for this command' : undefined);
      const { evaluated, result, parameters, rules, error } = entryOf(one, '', {
        output: output ?? '',
        taken: true,
        ...(fault !== undefined && { error: fault }),
      });
      return { index, evaluated, result, parameters, rules, ...(error !== undefined && { error }) };
    }),
  );
  const results = tried.map(({ result }) => result);
  return { result: allOrAny(allMust(passRule), results), commands: tried };
}
