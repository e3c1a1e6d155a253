import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { CodeEditor } from '~/ui/code/editor.tsx';
import { Notes, noteOf, type TemplateNote } from '~/ui/code/notes.tsx';
import { Conflict } from '~/ui/form/conflict.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import type { Place } from '../place.ts';
import { useUnsavedDraft } from '../use-unsaved-draft.ts';
import { LiveCheck } from './live-check.tsx';
import { PlatformChoice, sectionsWith } from './platform-choice.tsx';

type NodeDetail = Outputs['configurationManager']['getNode'];

type Draft = { template: string; base: string; stamp: string | undefined };

type EditorProps = { place: Place; node: NodeDetail };

/** The templates of a node: that of the platform of its tree, and one for each further platform. */
export function TemplateEditor({ place, node }: EditorProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [{ platform }, setUrl] = useUrlState();
  const choose = (next: string | undefined) => setUrl({ platform: next });
  return (
    <div className="column">
      <PlatformChoice
        spec={node.spec}
        platform={platform}
        mayEdit={may('configurationManager.updateSpec')}
        onChoose={choose}
        onRemove={async (removed) => {
          const { _id, lastUpdated } = node.spec;
          const sections = sectionsWith(node.spec, removed, undefined);
          await api.configurationManager.updateSpec.mutate(
            { id: _id, data: { sections } },
            { context: { ifMatch: lastUpdated } },
          );
          choose(undefined);
          await readAgain(queryClient);
        }}
      />
      <PlatformTemplate key={`${node.path} ${platform}`} place={place} node={node} platform={platform} />
    </div>
  );
}

/** Reads again what a change of templates changes. */
const readAgain = (queryClient: QueryClient) =>
  Promise.all(
    [
      trpc.configurationManager.getVersion,
      trpc.configurationManager.getSpec,
      trpc.configurationManager.getNode,
    ].map((procedure) => queryClient.invalidateQueries(procedure.pathFilter())),
  );

type PlatformTemplateProps = EditorProps & {
  /** The platform of a section; undefined: the platform of the tree. */
  platform: string | undefined;
};

/** One template, checked against a configuration while it is typed, saved only onto the version it was read from. */
function PlatformTemplate({ place, node, platform }: PlatformTemplateProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const { spec, staleLines } = node;
  const stored = platform === undefined ? spec.template : (spec.sections?.[platform]?.template ?? '');
  const [draft, setDraft] = useState<Draft>();
  const [notes, setNotes] = useState<readonly TemplateNote[]>([]);
  const [line, setLine] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, setSaving] = useState(false);
  const mayEdit = may('configurationManager.updateSpec');
  const template = draft?.template ?? stored;
  const isChanged = draft !== undefined && draft.template !== draft.base;
  useUnsavedDraft(isChanged);
  const edit = (next: string) =>
    setDraft((before) => ({
      template: next,
      base: before?.base ?? stored,
      stamp: before ? before.stamp : spec.lastUpdated,
    }));
  const refresh = () => queryClient.invalidateQueries(trpc.configurationManager.getNode.queryFilter(place));
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      const { warnings } = await api.configurationManager.updateSpec.mutate(
        {
          id: spec._id,
          data: platform === undefined ? { template } : { sections: sectionsWith(spec, platform, template) },
        },
        { context: { ifMatch: draft?.stamp ?? spec.lastUpdated } },
      );
      setNotes(warnings);
      await readAgain(queryClient);
      setDraft(undefined);
      showToast('Saved; its rules were derived again.');
    } catch (error) {
      const failed = problemOf(error);
      setProblem(failed);
      setNotes(failed.issues.flatMap(noteOf));
      if (failed.status === 409) await refresh();
    } finally {
      setSaving(false);
    }
  };
  const isConflict = problem?.status === 409;
  return (
    <div className="column">
      {staleLines && (
        <p className="note" data-tone="warn">
          The stored rules differ from what this template yields with the current variables: save it again.
        </p>
      )}
      <CodeEditor label="Template" value={template} onChange={edit} isReadOnly={!mayEdit} line={line} />
      <Notes notes={notes} onGo={setLine} />
      {problem && !isConflict && <ProblemNote problem={problem} />}
      {isConflict && (
        <Conflict
          what="this template"
          stored={stored}
          mine={template}
          onTakeStored={() => {
            setDraft(undefined);
            setProblem(undefined);
          }}
          onKeepMine={() => {
            setDraft({ template, base: stored, stamp: spec.lastUpdated });
            setProblem(undefined);
          }}
        />
      )}
      {mayEdit && (
        <div className="row">
          <Button variant="primary" isDisabled={!isChanged} isPending={isSaving} onPress={() => void save()}>
            Save template
          </Button>
          <Button isDisabled={!isChanged} onPress={() => setDraft(undefined)}>
            Discard
          </Button>
          <span className="muted small" role="status" aria-label="Draft">
            {isChanged ? 'unsaved' : 'saved'}
          </span>
        </div>
      )}
      <LiveCheck
        place={place}
        template={isChanged || platform !== undefined ? template : undefined}
        platform={platform}
        isDraft={isChanged}
        onNotes={setNotes}
        onBegin={mayEdit && template.trim() === '' ? edit : undefined}
      />
    </div>
  );
}
