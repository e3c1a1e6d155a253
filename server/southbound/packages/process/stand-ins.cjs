'use strict';
/**
 * Resolution of the modules that a package loads: its own node_modules first, then the shared runtime. Modules that
 * packages load and a service never uses get a stand-in, which fails when it is used: one of them needs
 * `process.binding`, which is closed, and others cost most of the start.
 */
const Module = require('node:module');

const UNUSED = ['readline-sync', 'mocha', 'winston', 'prompts', 'commander', 'ping', 'network-diagnostics'];

/** Codes of a module that a package does not have. From Node 22 on, a folder above it that has `node_modules` denies access. */
const NOT_FOUND = new Set(['MODULE_NOT_FOUND', 'ERR_ACCESS_DENIED']);

/** @returns {Set<string>} the names of modules that get a stand-in with these properties */
const unusedWith = (properties) => {
  const unused = new Set(UNUSED);
  if (properties?.authentication?.auth_method !== 'aws_authentication') unused.add('aws-sdk');
  if (!properties?.mongo?.host) unused.add('mongodb');
  return unused;
};

const standInFor = (name) => {
  const fail = () => {
    throw new Error(`the module ${name} is not available to adapter packages`);
  };
  const proxy = new Proxy(function standIn() {}, {
    apply: fail,
    construct: fail,
    // It must not be mistaken for a promise or an ES module, and its prototypes are those of a function.
    get: (target, key) => {
      if (typeof key === 'symbol' || key === 'then' || key === '__esModule') return undefined;
      return key === 'prototype' || key === '__proto__' ? Reflect.get(target, key) : proxy;
    },
  });
  return proxy;
};

/** @param {{ properties: object, runtime: string }} options runtime: the folder whose node_modules all packages share */
exports.install = ({ properties, runtime }) => {
  const unused = unusedWith(properties);
  const standIns = new Map([...unused].map((name) => [name, standInFor(name)]));
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const [name, part] = String(request).split('/');
    return (
      standIns.get(name?.startsWith('@') ? `${name}/${part}` : name) ?? load.call(this, request, ...rest)
    );
  };
  const resolve = Module._resolveFilename;
  const shared = Module.createRequire(`${runtime}/package.json`);
  Module._resolveFilename = function (request, ...rest) {
    try {
      return resolve.call(this, request, ...rest);
    } catch (error) {
      if (/^[./]/.test(request) || !NOT_FOUND.has(error?.code)) throw error;
      try {
        return shared.resolve(request);
      } catch {
        if (error.code === 'MODULE_NOT_FOUND') throw error;
        // What may not be read is not there: packages ask for optional modules and look at this code.
        throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
      }
    }
  };
};
