import { useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { searchWith } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';
import type { Place } from '../place.ts';
import { changedAt, type FlatRule, flatten, type Line } from './rule-lines.ts';

type NodeDetail = Outputs['configurationManager']['getNode'];
type Node = Outputs['configurationManager']['getVersion']['root'];
type Spec = Outputs['configurationManager']['getSpec'];

const SEVERITIES = ['error', 'warning', 'info'] as const;
const MODES = ['required', 'disallowed', 'ignored', 'optional'] as const;
const FIXES = ['manual', 'automatic'] as const;
const TONES: Readonly<Record<string, Tone>> = { error: 'bad', warning: 'warn', info: 'info' };
/** Number of rules rendered at first. */
const DRAWN = 300;

/** The rules that apply at a node, the root's first, each with the node that they come from; its own can be changed. */
export function Rules({ place, node, root }: { place: Place; node: NodeDetail; root: Node }) {
  const may = useMay();
  const specs = useQueries({
    queries: node.effective.map((id) => trpc.configurationManager.getSpec.queryOptions({ id })),
  });
  const nodes = pathsOfSpecs(root);
  return (
    <div className="column">
      {specs.map((query, index) => {
        const id = node.effective[index] ?? '';
        const path = nodes.get(id) ?? place.nodePath;
        const isOwn = id === node.spec._id;
        return (
          <section key={id} className="card" aria-label={`Rules of ${path}`}>
            <h3>
              {isOwn ? (
                'Rules of this node'
              ) : (
                <>
                  Inherited from{' '}
                  <Link to="." search={searchWith({ node: path })}>
                    {path}
                  </Link>
                </>
              )}
            </h3>
            <QueryView query={query} loading="Loading rules">
              {(spec) => (
                <>
                  <RuleTable spec={spec} mayEdit={isOwn && may('configurationManager.updateSpec')} />
                  {Object.entries(spec.sections ?? {}).map(([platform, { lines = [] }]) => (
                    <section key={platform} aria-label={`Rules for ${platform}`}>
                      <h4>For {platform}</h4>
                      <RuleTable spec={{ ...spec, lines }} mayEdit={false} />
                    </section>
                  ))}
                </>
              )}
            </QueryView>
          </section>
        );
      })}
    </div>
  );
}

/** What names a rule from one version of its spec to the next: its place and its text. */
const nameOf = ({ key, text }: FlatRule) => `${key} ${text}`;

/** Rules with what was chosen for them, which stays when somebody else saves the spec: the choices then hold for the new rules. */
function RuleTable({ spec, mayEdit }: { spec: Spec; mayEdit: boolean }) {
  const queryClient = useQueryClient();
  const [choices, setChoices] = useState<Readonly<Record<string, Partial<Line>>>>({});
  const [limit, setLimit] = useState(DRAWN);
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, setSaving] = useState(false);
  const lines = flatten(spec.lines).reduce((before, rule) => {
    const choice = choices[nameOf(rule)];
    return choice ? changedAt(before, rule.at, choice) : before;
  }, spec.lines);
  const rules = flatten(lines);
  const isChanged = lines !== spec.lines;
  const readAgain = () => {
    const { getSpec, getNode, getVersion } = trpc.configurationManager;
    return Promise.all(
      [getSpec, getNode, getVersion].map((procedure) =>
        queryClient.invalidateQueries(procedure.pathFilter()),
      ),
    );
  };
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      await api.configurationManager.updateSpec.mutate(
        { id: spec._id, data: { lines } },
        { context: { ifMatch: spec.lastUpdated } },
      );
      showToast('Saved; the template was regenerated from the rules.');
      await readAgain();
      setChoices({});
    } catch (error) {
      const failed = problemOf(error);
      if (failed.status === 409) await readAgain();
      setProblem(failed);
    } finally {
      setSaving(false);
    }
  };
  if (rules.length === 0)
    return <p className="muted">This node has no rules of its own: write its template.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-frame rules" tabIndex={0} aria-label="Rules, scrollable">
        <table className="table" aria-label="Rules">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Mode</th>
              <th scope="col">Severity</th>
              <th scope="col">Proposed by default</th>
            </tr>
          </thead>
          <tbody>
            {rules.slice(0, limit).map((rule) => (
              <RuleRow
                key={rule.key}
                rule={rule}
                mayEdit={mayEdit}
                onChange={(change) =>
                  setChoices((before) => ({
                    ...before,
                    [nameOf(rule)]: { ...before[nameOf(rule)], ...change },
                  }))
                }
              />
            ))}
          </tbody>
        </table>
      </section>
      {rules.length > limit && (
        <div>
          <Button onPress={() => setLimit(rules.length)}>Show all {rules.length} rules</Button>
        </div>
      )}
      {problem && <ProblemNote problem={problem} />}
      {problem?.status === 409 && (
        <p className="muted">
          These are the rules as they are stored now, with your choices: save them again.
        </p>
      )}
      {isChanged && (
        <div className="row">
          <Button variant="primary" isPending={isSaving} onPress={() => void save()}>
            Save rules
          </Button>
          <Button onPress={() => setChoices({})}>Discard</Button>
        </div>
      )}
    </>
  );
}

type RuleRowProps = { rule: FlatRule; mayEdit: boolean; onChange: (change: Partial<Line>) => void };

function RuleRow({ rule: { text, depth, line }, mayEdit, onChange }: RuleRowProps) {
  const { severity = 'warning', evalMode = 'required', fixMode = 'manual' } = line;
  const shown = text;
  return (
    <tr>
      <td>
        <code style={{ paddingLeft: `${depth}rem` }}>{shown}</code>
      </td>
      <td>
        {mayEdit ? (
          <Choice
            label={`Mode of ${shown}`}
            value={evalMode}
            of={MODES}
            onChange={(next) => onChange({ evalMode: next })}
          />
        ) : (
          evalMode
        )}
      </td>
      <td>
        {mayEdit ? (
          <Choice
            label={`Severity of ${shown}`}
            value={severity}
            of={SEVERITIES}
            onChange={(next) => onChange({ severity: next })}
          />
        ) : (
          <Badge tone={TONES[severity] ?? 'neutral'}>{severity}</Badge>
        )}
      </td>
      <td>
        {mayEdit ? (
          <Choice
            label={`Proposed by default: ${shown}`}
            value={fixMode}
            of={FIXES}
            onChange={(next) => onChange({ fixMode: next })}
          />
        ) : (
          fixMode
        )}
      </td>
    </tr>
  );
}

function Choice<Value extends string>({
  label,
  value,
  of,
  onChange,
}: {
  label: string;
  value: Value;
  of: readonly Value[];
  onChange: (value: Value) => void;
}) {
  return (
    <select
      className="input rule-choice"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {of.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** Returns the path of the node of each spec. */
function pathsOfSpecs(node: Node, above = '', found = new Map<string, string>()): Map<string, string> {
  const path = above ? `${above}/${node.name}` : node.name;
  const { configId } = node.attributes ?? {};
  if (configId) found.set(configId, path);
  for (const child of node.children ?? []) pathsOfSpecs(child, path, found);
  return found;
}
