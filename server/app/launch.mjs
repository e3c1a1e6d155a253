/**
 * Starts the service where a unit or an image of an earlier version names this file. Names are then looked up two at a time
 * (docs/decisions/0183): `launch.cjs` is the program.
 */
import './launch.cjs';
