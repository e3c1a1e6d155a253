import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { Checkbox, SelectField } from '~/ui/fields.tsx';
import { FileField, parsedJson } from '~/ui/inputs/file-field.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { showToast } from '~/ui/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Exported = Inputs['automationStudio']['importProject']['project'];
type Report = Outputs['automationStudio']['importProject']['metadata'];

/** Imports a project from its file; a dry run first tells what would happen. */
export function ImportProject({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(
    trpc.automationStudio.listProjects.pathFilter(),
    trpc.automationStudio.listWorkflows.pathFilter(),
  );
  const [text, setText] = useState('');
  const [conflictMode, setConflictMode] = useState<'insert-new' | 'overwrite'>('insert-new');
  const [isPartial, setPartial] = useState(false);
  const [report, setReport] = useState<Report>();
  const [error, setError] = useState<unknown>();
  const project = fileContent(text);
  const options = { conflictMode, relink: true, options: { partial: isPartial } };
  const dryRun = async () => {
    if (!project) return;
    setReport(undefined);
    setError(undefined);
    try {
      setReport(
        (await api.automationStudio.importProject.mutate({ project, ...options, dryRun: true })).metadata,
      );
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <FormDialog
      title="Import project"
      action="Import project"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={project !== undefined}
      onSubmit={async () => {
        if (!project) return;
        const { message, metadata } = await api.automationStudio.importProject.mutate({
          project,
          ...options,
        });
        await refresh();
        showToast(
          metadata.missingTotal > 0 ? `${message}. ${metadata.missingTotal} things are missing.` : message,
        );
      }}
    >
      <FileField
        label="File"
        accept=".json"
        onText={(content) => {
          setText(content);
          setReport(undefined);
        }}
      />
      {text !== '' && !project && <p className="field-problem">This file is no project.</p>}
      {project && (
        <p>
          <strong>{visibleText(project.name)}</strong>, {project.components?.length ?? 0} components
        </p>
      )}
      <SelectField
        label="When a project of this name exists"
        value={conflictMode}
        onChange={setConflictMode}
        choices={[
          { value: 'insert-new', label: 'Import under a new name' },
          { value: 'overwrite', label: 'Overwrite it' },
        ]}
      />
      <Checkbox label="Leave out components that are at fault" isChecked={isPartial} onChange={setPartial} />
      <div className="row">
        <Button onPress={dryRun} isDisabled={!project}>
          Dry run
        </Button>
      </div>
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      {report && <ImportReport report={report} />}
    </FormDialog>
  );
}

/** The project in a file: its export, or the answer of the export that holds it. */
function fileContent(text: string): Exported | undefined {
  const content = parsedJson<Exported | { data: Exported }>(text);
  if (!content) return undefined;
  const project = 'data' in content ? (content.data as Exported) : (content as Exported);
  return typeof project.name === 'string' ? project : undefined;
}

function ImportReport({ report }: { report: Report }) {
  const { failedComponents, renamed, warnings, drafts, draftsTotal, relinked, missing, missingTotal } =
    report;
  const sections: [string, string[]][] = [
    [
      'At fault',
      failedComponents.map(
        ({ type, name, issues }) =>
          `${type} ${name ?? ''}: ${issues.map(({ message }) => message).join('; ')}`,
      ),
    ],
    ['Renamed', renamed.map(({ type, from, to }) => `${type} ${from} → ${to}`)],
    [`Drafts (${draftsTotal})`, drafts.map(({ type, name, total }) => `${type} ${name}: ${total} errors`)],
    ['Linked anew', relinked.map(({ from, to, uses }) => `${from} → ${to}, ${uses} uses`)],
    [`Missing (${missingTotal})`, missing.map(({ message, uses }) => `${message} (${uses} uses)`)],
    ['Warnings', warnings],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return (
    <section
      className="note"
      data-tone={shown.length > 0 ? 'warn' : 'good'}
      aria-label="Report of the dry run"
    >
      {shown.length === 0 && <p>Everything would be imported as it is.</p>}
      {shown.map(([title, lines]) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {lines.map((line) => (
              <li key={line}>{visibleText(line)}</li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
