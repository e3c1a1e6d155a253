import { lazy, Suspense } from 'react';
import { loadCode } from '../load-code.ts';
import { Loading } from '../states.tsx';
import type { CodeEditorProps, DiffProps } from './code-mirror.tsx';

const load = () => loadCode(() => import('./code-mirror.tsx'));
const Loaded = lazy(async () => ({ default: (await load()).LoadedEditor }));
const LoadedDiffView = lazy(async () => ({ default: (await load()).LoadedDiff }));

/** An editor for configurations, templates and JSON; its code is loaded when it is first shown. */
export const CodeEditor = (props: CodeEditorProps) => (
  <Suspense fallback={<Loading what="Loading the editor" />}>
    <Loaded {...props} />
  </Suspense>
);

/** Two texts with their differences: side by side, in a narrow window below each other. */
export const DiffView = (props: DiffProps) => (
  <Suspense fallback={<Loading what="Loading the comparison" />}>
    <LoadedDiffView {...props} />
  </Suspense>
);
