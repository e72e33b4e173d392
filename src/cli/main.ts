console.log(SIGNALBOX_VERSION);
