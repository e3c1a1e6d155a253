import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { problemOfRead } from '~/api/problem.ts';
import { useSettled } from '~/api/use-settled.ts';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { checkText } from '../checks.ts';
import { Passed } from '../passed.tsx';

type Template = Inputs['mop']['testTemplate']['template'];
type Command = NonNullable<Template['commands']>[number];
type Tried = Outputs['mop']['testTemplate']['commands'][number];

/** A variable in a command or a check. */
const VARIABLE = /<!([^<>!]*)!>/g;

/** Returns the names of the variables in commands and their checks, each once. */
function variablesOf(commands: readonly Command[]): string[] {
  const texts = commands.flatMap(({ command, rules = [] }) => [
    command,
    ...rules.flatMap(({ rule, ruleB = '' }) => [rule, ruleB]),
  ]);
  return [
    ...new Set(texts.flatMap((text) => Array.from(text.matchAll(VARIABLE), ([, name = '']) => name.trim()))),
  ];
}

/** The checks of a template, stored or not, on outputs that are pasted; nothing is sent to a device. */
export function TemplateTrial({ template }: { template: Template }) {
  const commands = template.commands ?? [];
  // By the text of the command: one that is removed takes no output of another with it.
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const names = variablesOf(commands);
  const request = useSettled({
    template,
    outputs: commands.map(({ command }) => outputs[command] || null),
    variables: Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : []))),
  });
  const hasOutput = request.outputs.some((output) => output !== null);
  const tried = useQuery(
    trpc.mop.testTemplate.queryOptions(request, {
      enabled: hasOutput,
      retry: false,
      placeholderData: keepPreviousData,
    }),
  );
  const result = hasOutput && !tried.error ? tried.data : undefined;
  return (
    <div className="column">
      <p className="muted">Paste the outputs of a device; nothing is sent to it, and nothing is stored.</p>
      {names.map((name) => (
        <TextField
          key={name}
          label={`Value of ${name}`}
          value={values[name] ?? ''}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {commands.map(({ command }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: commands have no other identity, and may be equal
        <div key={index} className="column">
          <TextArea
            label={`Output of ${index + 1}. ${command}`}
            rows={4}
            isCode
            value={outputs[command] ?? ''}
            onChange={(output) => setOutputs({ ...outputs, [command]: output })}
          />
          {outputs[command] && <Verdicts of={result?.commands.filter((one) => one.index === index) ?? []} />}
        </div>
      ))}
      {tried.error && hasOutput && <ProblemNote problem={problemOfRead(tried.error)} />}
      <p role="status" aria-label="Outcome of the template">
        {result && request.outputs.every((output) => output !== null) && (
          <>
            The template <Passed is={result.result} />
          </>
        )}
      </p>
    </div>
  );
}

/** The outcome of a command, and of each of its checks. */
const Verdicts = ({ of: commands }: { of: readonly Tried[] }) => (
  <ul className="plain">
    {commands.map(({ evaluated, result, error, rules }) => (
      <li key={evaluated}>
        <Passed is={result} /> <code>{evaluated}</code>
        {error !== undefined && ` ${error}`}
        {error === undefined && (
          <ul>
            {rules.map((rule, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other identity
              <li key={at}>
                <Passed is={rule.result} /> the output {checkText(rule)}
                {rule.error !== undefined && `: ${rule.error}`}
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
);
