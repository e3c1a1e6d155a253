import { parentPort } from 'node:worker_threads';
import type { CalculationMessage, CalculationRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { isExpressionOverflow } from '#server/kernel/text/expression-overflow.ts';
import { loadSchemaCompiler } from '#server/kernel/validation/json-schema.ts';
import { calculations } from './calculations.ts';

if (!parentPort) throw new Error('must run in a thread');
const port = parentPort;

const answer = async ({ name, input }: CalculationRequest): Promise<CalculationMessage> => {
  try {
    const calculation = calculations[name];
    if (!calculation) return { fault: `the calculation ${name} does not exist`, isTooLong: false };
    return { output: await calculation(input) };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { fault, isTooLong: isExpressionOverflow(error) };
  }
};

port.on('message', async (request: CalculationRequest) => port.postMessage(await answer(request)));
// Loaded now, because loading would count against the time limit of the first check.
loadSchemaCompiler();
port.postMessage('ready' satisfies CalculationMessage);
