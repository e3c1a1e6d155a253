import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, Inbox, Lock } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { retryFailed } from '~/api/client.ts';
import { type Problem, problemOfRead } from '~/api/problem.ts';
import { Button } from './button.tsx';

/** After what time a part that loads says that it takes long, in milliseconds. */
const LONG_MS = 10_000;

/** Shown while the first answer is awaited; when it takes long, the page says whose fault that is. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="state" role="status" aria-busy="true">
      <p>
        {what} …{isLong && ' The service has not answered yet.'}
      </p>
    </div>
  );
}

/** The place of a part that shows nothing until its data has arrived, and perhaps nothing then: what follows it waits. */
export const Arriving = () => <div className="visually-hidden" aria-busy="true" />;

type EmptyProps = {
  title: string;
  /** The next step, for those who may take it: `Create the first one`. */
  next?: { label: string; act: () => void } | false | undefined;
  children?: ReactNode;
};

/** Shown when a list is empty: why, and what to do next. */
export function Empty({ title, next, children }: EmptyProps) {
  return (
    <div className="state state-empty">
      <span className="state-icon">
        <Inbox className="icon" />
      </span>
      <h2>{title}</h2>
      {children}
      {next && (
        <Button variant="primary" onPress={next.act}>
          {next.label}
        </Button>
      )}
    </div>
  );
}

/** Shown when the account may not see this: the message of the server names the missing roles. */
export function Refused({ message }: { message: string }) {
  return (
    <div className="state state-empty" role="alert">
      <span className="state-icon" data-tone="warn">
        <Lock className="icon" />
      </span>
      <h2>Your account may not see this</h2>
      <p>{message}</p>
      <p className="muted">Ask an administrator for the role, then sign in again.</p>
    </div>
  );
}

/** Shown when an answer failed: the message, and the id under which the log of the service has it. */
export function Failed({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div className="state state-empty" role="alert">
      <span className="state-icon" data-tone="bad">
        <CircleAlert className="icon" />
      </span>
      <h2>{problem.status === 404 ? 'Not found' : 'This could not be loaded'}</h2>
      <p>{problem.message}</p>
      {problem.requestId && <p className="muted small">Request {problem.requestId}</p>}
      {onRetry && <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}

/** A failed action inside a page or dialog: the message, every field at fault, and the request id. */
export function ProblemNote({ problem }: { problem: Problem }) {
  // The message of the service repeats the fields: here they are a list of their own.
  const [first] = problem.issues;
  const at = first ? problem.message.indexOf(`${first.path}: ${first.message}`) : -1;
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>{at > 0 ? problem.message.slice(0, at) : problem.message}</p>
      {problem.issues.length > 0 && (
        <ul>
          {problem.issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {problem.requestId && <p className="small">Request {problem.requestId}</p>}
    </div>
  );
}

type QueryViewProps<Data> = {
  query: UseQueryResult<Data, unknown>;
  /** What is loaded, for the loading state: `Loading jobs`. */
  loading?: string;
  children: (data: Data) => ReactNode;
};

/** The four states of a query: loading, denied, failed, or its data. Earlier data stays visible when a refresh fails. */
export function QueryView<Data>({ query, loading, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <Loading {...(loading && { what: loading })} />;
  const problem = problemOfRead(query.error);
  if (problem.status === 403) return <Refused message={problem.message} />;
  return <Failed problem={problem} onRetry={retryFailed} />;
}

/** Announces the state of a run whenever it changes, and not every number on the way. */
export const Announced = ({ status }: { status: string }) => (
  <span className="visually-hidden" role="status">
    The state is {status}
  </span>
);
