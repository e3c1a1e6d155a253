import { useEffect, useId, useRef, useState } from 'react';
import { jsonProblem } from './form/parse-object.ts';

type FileFieldProps = {
  label: string;
  /** Endings such as `.json`. */
  accept: string;
  onText: (text: string, name: string) => void;
};

/** Files are read whole; the server has its own limit of an import. */
const MAX_BYTES = 100 * 1024 * 1024;

/** Beginnings of files of spreadsheet programs that are no text: archives, and files of older programs. */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** Returns whether a file is one of a spreadsheet program, and no text. */
function isWorkbook(bytes: ArrayBuffer): boolean {
  const first = new Uint8Array(bytes.slice(0, 4));
  return WORKBOOKS.some((start) => start.every((byte, at) => first[at] === byte));
}

/** How much of a file is looked at for signs of UTF-16, in bytes. */
const SAMPLE = 4096;

/**
 * Returns the form of UTF-16 that a file has by its byte order mark. Without a mark, its separators and digits show it: each has a
 * NUL on one side. The service reads files that it receives by the same rule.
 */
function utf16Of(bytes: ArrayBuffer): 'utf-16le' | 'utf-16be' | undefined {
  const sample = new Uint8Array(bytes.slice(0, SAMPLE));
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le';
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be';
  const nulsAt = (side: 0 | 1) => sample.filter((byte, at) => byte === 0 && at % 2 === side).length;
  const [even, odd] = [nulsAt(0), nulsAt(1)];
  const isLikely = bytes.byteLength % 2 === 0 && even + odd > sample.length / 16;
  if (!isLikely || (even > 0 && odd > 0)) return undefined;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}

/** Returns the text of a file: UTF-16, UTF-8, or else Windows-1252, in which spreadsheets still save. */
function textOf(bytes: ArrayBuffer): string {
  const utf16 = utf16Of(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;

/** Reads a file that is dropped anywhere on the page. */
function useDrop(read: (file: File | undefined) => Promise<void>) {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const drop = (event: DragEvent) => {
      // The field itself takes what is dropped on it.
      if (!hasFiles(event) || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      void latest.current(event.dataTransfer?.files[0]);
    };
    window.addEventListener('drop', drop);
    return () => window.removeEventListener('drop', drop);
  }, []);
}

/** A file whose text is read in the browser: one that is chosen, or dropped on the page. */
export function FileField({ label, accept, onText }: FileFieldProps) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_BYTES) {
      setProblem('The file is larger than 100 MB.');
      return;
    }
    const bytes = await file.arrayBuffer();
    if (accept.includes('csv') && isWorkbook(bytes)) {
      setProblem('The file is a spreadsheet, not text: save it as “CSV UTF-8” in the spreadsheet program.');
      return;
    }
    setProblem(undefined);
    onText(textOf(bytes), file.name);
  };
  useDrop(read);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} type="file" accept={accept} onChange={(event) => void read(event.target.files?.[0])} />
      {problem && <span className="field-problem">{problem}</span>}
    </div>
  );
}

/** Parses a JSON file. @returns the value, or a sentence that says where it is not JSON */
export function parseJsonFile(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `The file is not JSON: ${jsonProblem(text, error)}` };
  }
}
