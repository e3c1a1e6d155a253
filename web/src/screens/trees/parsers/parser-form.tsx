import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { useDraft } from '~/ui/form/use-draft.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { rulesIn, rulesText } from './lex-rules.ts';
import type { Parser } from './parsers-page.tsx';
import { TryParser } from './try-parser.tsx';

type ParserFormProps = { parser?: Parser; onClose: () => void; onDone: () => unknown };

/** Creates a config parser, or changes one; what is typed can be tried before it is stored. */
export function ParserForm({ parser, onClose, onDone }: ParserFormProps) {
  const [stamp, setStamp] = useState(parser?.updated);
  const parsers = useQuery(trpc.configurationManager.listParsers.queryOptions({}));
  const builtIn = (parsers.data ?? []).filter(({ builtin }) => builtin);
  const [draft, change] = useDraft({
    name: parser?.name ?? '',
    template: parser?.template ?? '',
    rules: rulesText(parser?.lexRules ?? []),
  });
  const name = draft.name.trim();
  const { rules, problem } = rulesIn(draft.rules);
  const { template } = draft;
  // Without rules of its own it has those of the parser that it is based on.
  const lexRules = rules?.length === 0 ? builtIn.find((one) => one.name === template)?.lexRules : rules;
  const rulesOf = (builtInName: string) =>
    rulesText(builtIn.find((one) => one.name === builtInName)?.lexRules ?? []);
  const takeOver = (next: string) => {
    // Rules that were typed are not lost with another choice.
    const isUntouched = draft.rules.trim() === '' || draft.rules === rulesOf(template);
    change({ template: next, ...(isUntouched && { rules: rulesOf(next) }) });
  };
  return (
    <FormDialog
      title={parser ? 'Change config parser' : 'Create config parser'}
      action={parser ? 'Save' : 'Create parser'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== '' && template !== '' && rules !== undefined}
      onSubmit={async () => {
        const { createParser, updateParser, searchParsers } = api.configurationManager;
        const next = { name, template, lexRules };
        const id = parser?.id;
        if (id === undefined) await createParser.mutate(next);
        else {
          await saveOver(
            stamp,
            (condition) => updateParser.mutate({ id, options: next }, condition),
            async () => setStamp((await searchParsers.query({ filter: { id } })).parser?.updated),
          );
        }
        await onDone();
      }}
    >
      <div className="columns narrow">
        <TextField
          label="Name"
          hint="The device type of golden configs and devices that use it"
          value={draft.name}
          onChange={(text) => change({ name: text })}
          isRequired
          autoFocus
        />
        <SelectField
          label="Based on"
          hint="The built-in parser whose grammar it has"
          value={template}
          choices={[
            { value: '', label: 'Choose one' },
            ...builtIn.map((one) => ({ value: one.name, label: one.name })),
          ]}
          onChange={takeOver}
          from={parsers}
        />
      </div>
      <TextArea
        label="Rules"
        hint="One per line: a token, a space, and the expression (RE2) that yields it. The first that matches wins; empty: the rules of the parser that it is based on. Tokens: end_line, word, comment, open_statement_block, close_statement_block"
        rows={8}
        isCode
        value={draft.rules}
        onChange={(text) => change({ rules: text })}
        problem={problem}
      />
      <details>
        <summary>Try it before it is stored</summary>
        <TryParser
          source={{ parser: { template, lexRules } }}
          isReady={template !== '' && rules !== undefined}
        />
      </details>
    </FormDialog>
  );
}
