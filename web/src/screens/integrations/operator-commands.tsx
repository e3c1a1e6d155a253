/** Commands that the operator runs on the host: packages cannot be added over the network. */
export const OperatorCommands = ({ commands }: { commands: readonly string[] }) => (
  <ul aria-label="Commands for the operator">
    {commands.map((command) => (
      <li key={command}>
        <code>npm run adapter -- {command}</code>
      </li>
    ))}
  </ul>
);
