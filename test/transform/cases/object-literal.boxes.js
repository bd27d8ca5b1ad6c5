return await º0.held(({ a: 1          , b: [2] }

))