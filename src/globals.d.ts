/** The version in package.json, put in by the build. */
declare const SIGNALBOX_VERSION: string;
