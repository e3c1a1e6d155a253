import { useState } from 'react';
import { api, type Inputs, type Outputs } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { ProblemNote } from '~/ui/states.tsx';

type Parsed = Outputs['configurationManager']['testParser'];
type Line = Parsed['lines'][number];
type Source = Omit<Inputs['configurationManager']['testParser'], 'text'>;

/** Warnings that are listed; their number is shown as well. */
const LISTED = 20;

/** Returns parsed lines as a text: those below another one are indented, and words are separated by a bar. */
function linesText(lines: readonly Line[], depth = 0): string[] {
  return lines.flatMap(({ words, children }) => [
    `${'    '.repeat(depth)}${words.join(' │ ')}`,
    ...linesText(children, depth + 1),
  ]);
}

type TryParserProps = {
  /** The stored parser, or one that is not stored yet. */
  source: Source;
  isReady?: boolean;
};

/** Parses a configuration that is pasted, and shows its lines and words, and what could not be parsed. */
export function TryParser({ source, isReady = true }: TryParserProps) {
  const [text, setText] = useState('');
  const [parsed, setParsed] = useState<Parsed>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const parse = async () => {
    setPending(true);
    setError(undefined);
    try {
      setParsed(await api.configurationManager.testParser.query({ ...source, text }));
    } catch (failure) {
      setParsed(undefined);
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className="column">
      <TextArea
        label="Configuration to parse"
        hint="Paste what the device shows; nothing is stored"
        rows={8}
        isCode
        value={text}
        onChange={setText}
      />
      <div className="row">
        <Button
          onPress={() => void parse()}
          isPending={isPending}
          isDisabled={!isReady || text.trim() === ''}
        >
          Parse
        </Button>
      </div>
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      {parsed && (
        <>
          <p role="status">
            {parsed.warnings.length === 0 ? (
              <Badge tone="good">every line is parsed</Badge>
            ) : (
              <Badge tone="warn">
                {parsed.warnings.length} {parsed.warnings.length === 1 ? 'line is' : 'lines are'} kept
                unparsed
              </Badge>
            )}
          </p>
          {parsed.warnings.length > 0 && (
            <ul>
              {parsed.warnings.slice(0, LISTED).map(({ line, reason }) => (
                <li key={`${line} ${reason}`}>
                  Line {line}: {reason}
                </li>
              ))}
            </ul>
          )}
          <TextView label="Parsed lines" text={linesText(parsed.lines).join('\n')} />
        </>
      )}
    </div>
  );
}
