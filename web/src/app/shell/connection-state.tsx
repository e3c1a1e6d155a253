import { useConnection } from '~/api/live/use-live.ts';

/** Whether what is shown is kept current. */
export function ConnectionState() {
  const connection = useConnection();
  const text =
    connection.state === 'stale'
      ? `stale since ${connection.since.toLocaleTimeString('en-GB')}`
      : connection.state === 'polled'
        ? 'every 15 seconds'
        : connection.state;
  const tone = connection.state === 'live' ? 'good' : connection.state === 'stale' ? 'bad' : 'warn';
  return (
    <span
      role="status"
      aria-label="Connection"
      className="connection"
      data-tone={tone}
      title={
        connection.state === 'polled'
          ? 'No events arrive, perhaps because of an extension of this browser or a proxy. The page is read again every 15 seconds.'
          : undefined
      }
    >
      {text}
    </span>
  );
}
