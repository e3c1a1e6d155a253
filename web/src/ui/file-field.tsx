import { useId, useState } from 'react';

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

/** Returns the text of a file: UTF-16 with a byte order mark, UTF-8, or else Windows-1252, in which spreadsheets still save. */
function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A file whose text is read in the browser. */
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
      setProblem(
        'The file is a spreadsheet file, and no text: save it as “CSV UTF-8” in the spreadsheet program.',
      );
      return;
    }
    setProblem(undefined);
    onText(textOf(bytes), file.name);
  };
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
    return { problem: `The file is not JSON: ${error instanceof Error ? error.message : error}` };
  }
}
