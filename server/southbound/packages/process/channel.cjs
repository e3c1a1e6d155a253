'use strict';
/**
 * The connection of a package's process to the host, on file descriptor 3: frames of a length (4 bytes, big endian) and
 * JSON. It is not Node's own channel, whose reader has no limit on the size of a message.
 */
const { Socket } = require('node:net');

const { parse, stringify } = JSON;

/**
 * @param {(message: object) => void} onMessage
 * @param {() => void} onEnd called when the host has closed the connection or has died
 */
exports.openChannel = (onMessage, onEnd) => {
  const socket = new Socket({ fd: 3, readable: true, writable: true });
  let rest = Buffer.alloc(0);
  socket.on('data', (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (;;) {
      if (rest.length < 4) return;
      const end = 4 + rest.readUInt32BE(0);
      if (rest.length < end) return;
      const text = rest.toString('utf8', 4, end);
      rest = rest.subarray(end);
      onMessage(parse(text));
    }
  });
  socket.on('error', onEnd);
  socket.on('close', onEnd);
  return {
    /** Sends JSON text. @param {string} text */
    sendText: (text) => {
      const body = Buffer.from(text, 'utf8');
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length, 0);
      socket.write(Buffer.concat([head, body]));
    },
    /** @param {object} message */
    send(message) {
      this.sendText(stringify(message));
    },
  };
};
