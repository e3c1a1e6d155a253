import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useIsNarrow } from '~/app/narrow-window.ts';
import './code-mirror.css';

export type CodeEditorProps = {
  label: string;
  value: string;
  onChange?: (value: string) => void;
  isReadOnly?: boolean;
  language?: 'text' | 'json';
  /** Line, counted from 1, that is scrolled into view and selected. */
  line?: number | undefined;
};

export type DiffProps = {
  label: string;
  before: string;
  after: string;
  /** What each text is, shown above them. */
  sides?: readonly [before: string, after: string];
};

/** The nonce of the page: CodeMirror inserts a style element. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Marks a text that the page has put into the editor, in place of one that its user typed. */
const Given = Annotation.define<true>();

const basics = (label: string, isReadOnly: boolean): Extension[] => [
  EditorView.cspNonce.of(nonce()),
  lineNumbers(),
  highlightSpecialChars(),
  drawSelection(),
  highlightSelectionMatches(),
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({ 'aria-label': label }),
  EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
];

/** The editor itself. Tab moves the focus on, so that nobody is caught in it. */
export function LoadedEditor({
  label,
  value,
  onChange,
  isReadOnly = false,
  language,
  line,
}: CodeEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const first = useRef(value);
  // Before the page is painted: an empty frame would draw what is below up, and push it down again.
  useLayoutEffect(() => {
    if (!frame.current) return undefined;
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          ...basics(label, isReadOnly),
          history(),
          ...(language === 'json' ? [json()] : []),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isGiven = transactions.some((transaction) => transaction.annotation(Given));
            if (docChanged && !isGiven) latest.current?.(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, isReadOnly, language]);
  useEffect(() => {
    first.current = value;
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: Given.of(true),
    });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || line === undefined || line < 1 || line > editor.state.doc.lines) return;
    const { from, to } = editor.state.doc.line(line);
    editor.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
  }, [line]);
  return <div className="code-frame" ref={frame} />;
}

/** The comparison itself, in a narrow window as one text with the former lines above the new ones; equal parts are folded. */
export function LoadedDiff({ label, before, after, sides }: DiffProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  useLayoutEffect(() => {
    const parent = frame.current;
    if (!parent) return undefined;
    const options = {
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { scanLimit: 5000, timeout: 1000 },
    };
    const view = isNarrow
      ? new EditorView({
          parent,
          doc: after,
          extensions: [
            ...basics(label, true),
            unifiedMergeView({ original: before, mergeControls: false, ...options }),
          ],
        })
      : new MergeView({
          parent,
          a: { doc: before, extensions: basics(`${label}, before`, true) },
          b: { doc: after, extensions: basics(`${label}, after`, true) },
          ...options,
        });
    return () => view.destroy();
  }, [label, before, after, isNarrow]);
  return (
    <>
      {sides && (
        <div className="diff-sides muted small">
          <span>− {sides[0]}</span>
          <span>+ {sides[1]}</span>
        </div>
      )}
      <section className="code-frame" ref={frame} aria-label={label} data-unified={isNarrow || undefined} />
    </>
  );
}
