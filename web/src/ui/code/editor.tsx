import { lazy, Suspense } from 'react';
import { loadCode } from '../load-code.ts';
import { Loading } from '../states.tsx';
import { visibleText } from '../visible-text.ts';
import type { CodeEditorProps, DiffProps } from './code-mirror.tsx';

const load = () => loadCode(() => import('./code-mirror.tsx'));
const Loaded = lazy(async () => ({ default: (await load()).LoadedEditor }));
const LoadedDiffView = lazy(async () => ({ default: (await load()).LoadedDiff }));

/** More lines than the frame of an editor shows. */
const MOST_LINES = 40;

/** The text of an editor until its code is loaded: what is below it stays where it is when the editor takes its place. */
const WaitingEditor = ({ value }: { value: string }) => (
  <div className="code-frame" aria-busy="true">
    <span className="visually-hidden" role="status">
      Loading the editor …
    </span>
    <div className="code-waiting" aria-hidden="true">
      {value
        .split('\n', MOST_LINES)
        .map((line) => `${visibleText(line)}\n`)
        .join('')}
    </div>
  </div>
);

/** An editor for configurations, templates and JSON; its code is loaded when it is first shown. */
export const CodeEditor = (props: CodeEditorProps) => (
  <Suspense fallback={<WaitingEditor value={props.value} />}>
    <Loaded {...props} />
  </Suspense>
);

/** Two texts with their differences: side by side, in a narrow window below each other. */
export const DiffView = (props: DiffProps) => (
  <Suspense fallback={<Loading what="Loading the comparison" />}>
    <LoadedDiffView {...props} />
  </Suspense>
);
