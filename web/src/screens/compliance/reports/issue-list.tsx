import { useEffect, useMemo, useRef } from 'react';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { Empty } from '~/ui/states.tsx';
import { Verdict } from '../grade.tsx';
import { groupIssues, type Issue, type IssueGroup } from './locate.ts';

/** Number of issues rendered at first; the others on request. */
const DRAWN = 300;

type IssueListProps = {
  issues: readonly Issue[];
  lines: readonly (number | undefined)[];
  /** Path of the node of each spec. */
  nodes: ReadonlyMap<string, string>;
  ownSpecId: string | null;
  chosen: number | undefined;
  onChoose: (issue: number) => void;
};

/** The violated rules of a report: errors first, folded by their parent line, with a list to jump from. */
export function IssueList({ issues, lines, nodes, ownSpecId, chosen, onChoose }: IssueListProps) {
  const [{ spec = '', severity = '', all }, setUrl] = useUrlState();
  const matching = useMemo(
    () =>
      issues
        .map((issue, index) => ({ issue, index }))
        .filter(
          ({ issue }) => (!spec || issue.specId === spec) && (!severity || issue.severity === severity),
        ),
    [issues, spec, severity],
  );
  const groups = useMemo(
    () => groupIssues(all === undefined ? matching.slice(0, DRAWN) : matching),
    [matching, all],
  );
  if (issues.length === 0) {
    return (
      <Empty title="Every rule is met">
        <p>The configuration complies with all rules of its node and of the nodes above.</p>
      </Empty>
    );
  }
  const specIds = [...new Set(issues.map(({ specId }) => specId))];
  return (
    <div className="column">
      <search className="slice" aria-label="Issues shown">
        <SelectField
          label="Rules of"
          value={spec}
          choices={[
            { value: '', label: 'All nodes' },
            ...specIds.map((id) => ({ value: id, label: nodes.get(id) ?? id })),
          ]}
          onChange={(next) => setUrl({ spec: next || undefined })}
        />
        <SelectField
          label="Severity"
          value={severity}
          choices={['', 'error', 'warning', 'info'].map((value) => ({ value, label: value || 'All' }))}
          onChange={(next) => setUrl({ severity: next || undefined })}
        />
      </search>
      {groups.length > 1 && <JumpList groups={groups} onChoose={onChoose} />}
      {groups.map((group) => (
        <Group key={group.key} {...{ group, lines, nodes, ownSpecId, chosen, onChoose }} />
      ))}
      {groups.length === 0 && <p className="muted">No issue matches. Choose other rules or severities.</p>}
      {all === undefined && matching.length > DRAWN && (
        <div>
          <Button onPress={() => setUrl({ all: '1' })}>Show all {matching.length} issues</Button>
        </div>
      )}
    </div>
  );
}

const nameOf = (parents: readonly string[]) =>
  parents.length === 0 ? 'Top level' : parents.map((line) => line.trim()).join(' › ');

function JumpList({ groups, onChoose }: { groups: IssueGroup[]; onChoose: (issue: number) => void }) {
  return (
    <details className="jump">
      <summary>Jump to one of {groups.length} parts</summary>
      <nav aria-label="Parts with issues">
        <ul className="plain">
          {groups.map(({ key, parents, issues, worst }) => (
            <li key={key}>
              <Button variant="quiet" onPress={() => onChoose(issues[0]?.index ?? 0)}>
                <Verdict of={worst} /> {nameOf(parents)} ({issues.length})
              </Button>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

type GroupProps = Omit<IssueListProps, 'issues'> & { group: IssueGroup };

function Group({ group: { parents, issues, worst }, lines, nodes, ownSpecId, chosen, onChoose }: GroupProps) {
  const hasChosen = issues.some(({ index }) => index === chosen);
  const frame = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!hasChosen || !frame.current) return;
    frame.current.open = true;
    frame.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [hasChosen]);
  return (
    <details className="card issue-group" open ref={frame}>
      <summary>
        <Verdict of={worst} /> <strong>{nameOf(parents)}</strong>{' '}
        <span className="muted small">
          {issues.length} {issues.length === 1 ? 'issue' : 'issues'}
        </span>
      </summary>
      <ul className="plain">
        {issues.map(({ issue, index }) => (
          <li key={index} className="issue" aria-current={index === chosen ? 'true' : undefined}>
            <button type="button" onClick={() => onChoose(index)}>
              <Verdict of={issue.severity} /> <span>{issue.message}</span>
            </button>
            <span className="muted small">
              {issue.type}
              {lines[index] !== undefined && `, line ${lines[index]}`}
              {issue.specId !== ownSpecId &&
                `, inherited from ${nodes.get(issue.specId) ?? 'a deleted node'}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
