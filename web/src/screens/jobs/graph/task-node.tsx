import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';

export type TaskNodeData = {
  title: string;
  state: string;
  operation: string;
  iterations: number;
  /** Whether the graph goes from top to bottom. */
  isTall: boolean;
};
export type TaskFlowNode = Node<TaskNodeData, 'task'>;

/** One task on the graph; only the node of a changed task is rendered again. */
export const TaskNode = memo(function TaskNode({ data, selected }: NodeProps<TaskFlowNode>) {
  const { title, state, operation, iterations, isTall } = data;
  return (
    <div className="graph-node" title={title} data-state={state} data-selected={selected || undefined}>
      <Handle type="target" position={isTall ? Position.Top : Position.Left} isConnectable={false} />
      <strong>{title}</strong>
      <span className="small">
        {state}
        {iterations > 1 && ` · ${iterations} iterations`}
        {operation && ` · ${operation}`}
      </span>
      <Handle type="source" position={isTall ? Position.Bottom : Position.Right} isConnectable={false} />
    </div>
  );
});
